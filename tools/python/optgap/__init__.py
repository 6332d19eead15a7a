"""How far a labelling policy is from optimal, exactly.

    >>> import optgap
    >>> r = optgap.compare(12, "10x1,1", policies=["kg", "uniform"])
    >>> r.optimal.value
    7.5625
    >>> print([row.name for row in r.rows])
    ['kg', 'uniform']

A question takes a budget T and instances, words as the program takes them, or a Problem. Options
have the program's names, with _ for -. What it answers is what the program prints with --json.

Errors: ValueError for what cannot be; MemoryError; TimeoutError where a limit was reached and nothing
is proved; RuntimeError for files and programs that fail. Ctrl-C stops the work.
"""

from optgap._library import ffi, lib
from optgap.policies import policy, weights
from optgap.problems import Problem, problem_of
from optgap.recorded import fit, keep_stakes, next, replay
from optgap.report import Advice, IndexTable, Report, Tree
from optgap.studies import Study, sweep
from optgap.work import Request, ask

__all__ = ["Problem", "Report", "Study", "bound", "compare", "families", "find", "fit", "index", "next", "policy",
           "query", "replay", "simulate", "solve", "sweep", "tree", "verify", "weights"]
__version__ = ffi.string(lib.og_version()).decode()

# What requests take; every other option is the problem's.
LIMITS = ("threads", "memory", "engine", "time_limit", "checkpoint", "checkpoint_every",
          "scratch", "joint_end")
# Earlier names of these, which are taken too.
WAS = {"believe": "assume", "policy_states": "max_policy_states", "optimum_states": "max_states",
       "index_time": "max_index_time"}


def _question(function, T, instances, options, *names, policies=(), ties=(), exact=False, progress=False,
              kind=Report, **more):
    for was in WAS.keys() & options.keys():
        options[WAS[was]] = options.pop(was)
    of = {name: options.pop(name) for name in (*LIMITS, *names) if name in options}
    problem = problem_of(T, instances, options)
    request = Request(policies, ties, exact=exact, **of, **more)
    return kind(ask(function, request, problem.handle, progress=progress))


def solve(T=None, instances=(), *, exact=False, progress=False, **options):
    """The optimal value: .optimal.value, .optimal.error_bound, .optimal.states.

    exact: Fractions, where priors are rational. dry_run=True: how much it can take, and no more.
    export_policy=FILE: what optimal play labels; all_optimal=True: all optimal labels.
    export_model=FILE: the decision process for a model checker, NAME.drn or NAME.tra. Limits:
    threads, memory ("2G" or bytes), time_limit (seconds), checkpoint=FILE, scratch=FOLDER, engine.
    progress: a bar of tqdm. TimeoutError: a limit was reached.

    >>> import optgap
    >>> optgap.solve(2, ["1,1", "2,1"], exact=True).optimal.value
    Fraction(3, 2)
    """
    return _question(lib.og_solve, T, instances, options, "export_policy", "all_optimal",
                     "export_model", "dry_run",
                     exact=exact, progress=progress)


def compare(T=None, instances=(), *, policies=(), ties=(), exact=False, explain=False, truth=None,
            assume=None, priors=None, minimax=False, progress=False, **options):
    """Policies beside the optimum.

    policies: names ("kg,opt-kg" or a list) and functions (optgap.policy); none: those that the family
    is known for. ties: "random", "first", "best", "worst", several of them. explain: .explain.stages
    and .explain.decisions. truth: what play comes to under it ("list:X,X,..." or "beta:A,B"), .truth.mean,
    .truth.law, ... assume: what it comes to where policies take every prior for this Beta ("2,1" or (2, 1)),
    .believed.mean, .believed.price, ... priors: instead, the regret of policies where labels fall by any of these
    ("1:3,1:3", or a list such as [(1, 1), (2, 1)]), .rows with .largest_regret, .worst_prior, .believes; minimax:
    also .minimax.lower and .upper, the least largest regret of all policies. Of policies without an exact value: runs (0: never), seed. Limits as for
    solve, and max_policy_states, max_states, max_index_time. Where a limit ends it, .status says so and
    .bracket is what is proved.

    .optimal, .bracket, .bounds, .policies (a DataFrame: policy, ties, value, error_bound, gap,
    gap_percent, gain_lost_percent, ...), .rows (the same without pandas), .plot(ax).
    """
    return _question(lib.og_compare, T, instances, {**options, "explain": explain, "truth": truth, "assume": assume,
                                                  "priors": priors, "minimax": minimax},
                     "explain", "truth", "assume", "priors", "minimax", "runs", "seed", "max_policy_states", "max_states", "max_index_time",
                     "tie_tolerance", policies=policies, ties=ties, exact=exact, progress=progress)


def query(T=None, instances=(), *, policies=(), exact=False, progress=False, **options):
    """What to do now: .q (the gain still to come of each act, in the order given), .best, .acts.

    left: labels left, if fewer than T.

    >>> import optgap
    >>> optgap.query(3, "2x2,1 3,3").best
    array([0])
    """
    return _question(lib.og_query, T, instances, options, "tie_tolerance", policies=policies, exact=exact,
                     progress=progress, kind=Advice)


def bound(T=None, instances=(), *, exact=False, progress=False, **options):
    """Upper bounds without solving, for any size: .bounds. joint_end=N: also the one of which the last N
    labels are played together.

    >>> import optgap
    >>> optgap.bound(4, "2x1,1", exact=True).bounds.lagrangian_scalar.value
    Fraction(51, 32)
    """
    return _question(lib.og_bound, T, instances, options, exact=exact, progress=progress)


def simulate(T=None, instances=(), *, policies=(), ties=(), truth=None, counts=False, progress=False,
             **options):
    """Policies played many times: means and 95 % intervals, .policies. runs (default 10000), seed,
    truth ("prior", "beta:A,B" or "list:X,X,...")."""
    return _question(lib.og_simulate, T, instances, {**options, "truth": truth, "counts": counts}, "runs",
                     "seed", "max_index_time", "tie_tolerance", "truth", "counts", policies=policies, ties=ties,
                     progress=progress)


def index(policy, T=None, instances="1,1", *, progress=False, **options):
    """The table of an index policy: the index of every posterior that up to T labels can lead to, for
    every number of labels that can then be left. .table is a DataFrame (for Beta priors a, b, left,
    index; T^3 / 6 rows), .at(a, b, left=n) one index, .relative_error and .absolute_error are proved.

    >>> import optgap
    >>> optgap.index("opt-kg", T=10).at(2, 1, left=3)
    0.125
    """
    return _question(lib.og_index_table, T, instances, options, policies=policy, progress=progress,
                     kind=IndexTable)


def tree(T=None, instances=(), *, exact=False, levels=0, states=300, all_actions=False, progress=False,
         **options):
    """The decision tree of optimal play, for small problems: .states, the root first, each once, with
    .text, .left, .value and .actions (.text, .optimal, .value, .outcomes with .probability and .to, a
    number of .states); .table has a row for each action.

    levels: labels that are followed, 0 for all. states: a larger tree is a ValueError. all_actions:
    follow what is not optimal too.

    >>> import optgap
    >>> tree = optgap.tree(2, "2x1,1", exact=True)
    >>> tree.states[0].value, len(tree.states)
    (Fraction(3, 2), 6)
    """
    return _question(lib.og_decision_tree, T, instances, options, exact=exact, progress=progress, kind=Tree,
                     tree_levels=levels, tree_states_max=states, all_actions=all_actions)


def find(policy, against=None, *, claim=None, worst=False, instances=3, T=4, parameter=4, thresholds="0.5",
         price=None, payoff=None, ties="random", progress=False, **options):
    """The smallest problem in which a policy loses against the optimum, or is worth something else than
    `against`: .found (None where nothing in the grid is against the claim), with .text, .budget, .loss;
    then .optimal, .policies and .explain as of compare; .search says what was looked at.

    claim: "gain:0.75" instead, that it gains at least so much of what the other does; "value:0.99".
    worst: the largest loss of the whole grid. The grid: at most so many instances, labels (T), and
    priors with whole parameters up to `parameter`. price: what each label costs; payoff: what calls are
    worth, "1,-5,0,1". Limits as for solve; checkpoint remembers the search.

    >>> import optgap
    >>> r = optgap.find("kg", instances=2)
    >>> r.found.text, r.found.budget, r.found.loss_exact
    ('2,1 3,1', 2, '1/32')
    """
    of = {name: options.pop(name) for name in LIMITS if name in options}
    if options:
        raise TypeError(f"find takes no {sorted(options)[0]}")
    policies = [policy] if against is None else [policy, against]
    request = Request(policies, ties, **of)
    search = ffi.new("og_search *")
    search.claim = request.keep_text(claim)
    search.worst = worst
    search.instances, search.budget, search.parameter = instances, T, parameter
    if not isinstance(thresholds, str):
        thresholds = ",".join(str(one) for one in ([thresholds] if isinstance(thresholds, float) else thresholds))
    search.thresholds = request.keep_text(thresholds)
    keep_stakes(search.stakes, request, price, payoff)
    return Report(ask(lib.og_find, request, search, progress=progress))


def verify(file, *, threads=0, memory=0):
    """An exported policy, checked by code that shares nothing with the engine: .value, .error_bound."""
    request = Request(threads=threads, memory=memory)

    def look(name, of, out, message):
        return lib.og_verify(name, ffi.addressof(of.settings), out, message)

    return Report(ask(look, request, request.keep_text(file)))


def families():
    """{family: {option: the word for its argument, "" for a switch}}."""
    from optgap.problems import families as known

    return {name: dict(options) for name, options in known().items()}
