"""Exact gaps between labelling policies and the optimum.

    >>> import optgap
    >>> r = optgap.compare(12, "10x1,1", policies=["kg", "uniform"])
    >>> r.value
    7.5625
    >>> print([row.name for row in r.rows])
    ['kg', 'uniform']

A question takes a budget T (the number of labels) and instances, or a Problem. Instances are words
as on the command line: "10x1,1" is ten instances with the prior Beta(1,1). Options have the program's
names, with _ for -. The answer is a Report: the document that the program prints with --json.

Limits and settings of every question with **options:

    threads            0: one per core
    memory             bytes or a text such as "2G"; 0: three quarters of the physical memory
    time_limit         seconds; 0: none
    engine             "auto", "recursion" or "blocks"
    checkpoint         a file that the same question continues from; checkpoint_every: seconds (300)
    scratch            a folder for layers that do not fit in memory
    no_times           True: times are None, so that equal questions have equal documents
    progress           True: show a tqdm bar, if tqdm is installed; or a function that is called with
                       a Progress (.share, .left, .states, ...) ten times a second

Errors: ValueError for a wrong argument, with its name; TypeError for an unknown option; RuntimeError for
a file or program that failed. At a limit before a result: TimeLimit, a TimeoutError, or MemoryLimit, a
MemoryError, whose .bracket holds proved bounds. Ctrl-C stops the question.
"""
# mypy: ignore-errors

import warnings

from optgap._library import ffi, lib
from optgap._arm import Arm, arm
from optgap._given import whole
from optgap._limits import LimitReached, MemoryLimit, Status, TimeLimit
from optgap._policies import Policy, policy, stop, weights
from optgap._policy_file import PolicyTable, optimal_policy, read_policy
from optgap._problems import Problem, problem_of
from optgap._process import process
from optgap._recorded import Batch, Replay, Results, fit, next, replay, stakes_of
from optgap._report import Advice, Explanation, IndexTable, Part, Report, Row, Tree
from optgap._signatures import add_keywords
from optgap._states import States, query_states
from optgap._studies import Study, sweep
from optgap._work import Progress, Request, ask

__all__ = ["Advice", "Arm", "Batch", "Explanation", "IndexTable", "LimitReached", "MemoryLimit", "Part", "Policy", "PolicyTable",
           "Problem", "Progress", "Replay", "Report", "Results", "Row", "States", "Status", "Study", "TimeLimit", "Tree", "arm", "bound",
           "compare", "families", "find", "fit", "index", "next", "optimal_policy", "policy", "process", "query",
           "read_policy", "replay", "simulate", "solve", "stop", "sweep", "tree", "verify", "weights"]
__version__ = ffi.string(lib.og_version()).decode()

def __dir__():
    return [*__all__, "__version__"]


# Options of the request; all others belong to the problem.
LIMITS = ("threads", "memory", "engine", "time_limit", "checkpoint", "checkpoint_every",
          "scratch", "joint_end", "no_times")
# Earlier names of these, which are taken too.
WAS = {"believe": "assume", "policy_states": "max_policy_states", "optimum_states": "max_states",
       "index_time": "max_index_time"}


def _question(name, T, instances, options, *, kind=Report, **request):
    """Asks a question. options: of the problem, with limits; request: the question's own arguments."""
    for was in WAS.keys() & options.keys():
        request[WAS[was]] = options.pop(was)
    progress = request.pop("progress")
    request.update({name: options.pop(name) for name in LIMITS if name in options})
    problem = problem_of(T, instances, options)
    asked = Request(name, problem.played(request.pop("policies", ())), **request)
    problem.begin(asked)
    bounds = None if problem.family == "process" else lambda: _bracket(problem)
    report = kind(ask(asked, problem.handle, progress, bounds))
    report.names = problem.names
    return report


def _bracket(problem):
    """Proved bounds on the optimal value, from a few seconds of work."""
    request = Request("compare", runs=0, max_states=1, max_policy_states=10000, time_limit=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Report(ask(request, problem.handle)).bracket


def solve(T=None, instances=(), *, exact=False, dry_run=False, export_policy=None, all_optimal=False,
          export_model=None, progress=False, **options):
    """Computes the optimal value.

    Parameters
    ----------
    T : int, str or Problem
        The budget: labels in all; "40each": for each instance. Or a Problem, with its instances.
    instances : str or list
        INSTANCE words, "5x1,1 2,1@0.3", or a list of words and of priors as numbers, (2, 1).
    exact : bool
        Values are Fractions, also in DataFrames; the priors must be rational.
    dry_run : bool
        Only estimate states and memory.
    export_policy : path
        A file for the optimal policy; read_policy reads it.
    all_optimal : bool
        Export all optimal choices.
    export_model : path
        A file for a model checker, NAME.drn or NAME.tra: the decision process.
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Of the problem, see Problem; and limits, see help(optgap).

    Returns
    -------
    Report
        ``.value``, ``.optimal.error_bound``, ``.optimal.states``.

    Raises
    ------
    ValueError
        A wrong argument, with its name.
    TimeLimit, MemoryLimit
        A limit was reached before a result; ``.bracket`` has bounds on the optimal value.

    Examples
    --------
    >>> import optgap
    >>> optgap.solve(2, ["1,1", "2,1"], exact=True).value
    Fraction(3, 2)
    """
    return _question("solve", T, instances, options, exact=exact, dry_run=dry_run, export_policy=export_policy,
                     all_optimal=all_optimal, export_model=export_model, progress=progress)


def compare(T=None, instances=(), *, policies=(), ties=(), exact=False, explain=False, truth=None,
            assume=None, reach=0.0, runs=10000, seed=1, max_policy_states=None, max_states=None,
            max_index_time=60.0, tie_tolerance=1e-12, progress=False, **options):
    """Compares policies with the optimum.

    Parameters
    ----------
    T : int, str or Problem
        The budget: labels in all; "40each": for each instance. Or a Problem, with its instances.
    instances : str or list
        INSTANCE words, "5x1,1 2,1@0.3", or a list of words and of priors as numbers, (2, 1).
    policies : str or list
        Names ("kg,opt-kg" or a list), functions and callable objects; none: the usual policies of the problem type.
    ties : str or list of str
        "random" (default), "first", "best" or "worst", or several of them.
    exact : bool
        Values are Fractions, also in DataFrames; the priors must be rational.
    explain : bool
        Add ``.explain.stages`` and ``.explain.decisions``, which show where policies lose.
    truth : str
        Also results if labels follow this truth, "beta:A,B" or "list:X,X,...": ``.truth.mean``, ``.truth.law``, ... of
        each row.
    assume : str or pair
        Also results if policies assume this Beta as every prior, "2,1" or (2, 1): ``.believed.mean``,
        ``.believed.price``, ... of each row.
    reach : float
        Instead, the fewest labels after which this share of calls is expected to be correct: ``.optimal.labels`` and
        ``.labels`` of each row; ``.value`` is the optimal policy's.
    runs : int
        Simulation of policies without an exact value (default 10000; 0: none).
    seed : int, numpy.random.Generator or None
        Default 1. A Generator draws one; None: another each time. The report has it as ``.seed``.
    max_policy_states, max_states : int
        Limits of states; 0: none.
    max_index_time : float
        The longest time for an index, in seconds (default 60).
    tie_tolerance : float
        Relative difference within which indices of user-defined policies tie (default 1e-12).
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Of the problem, see Problem; and limits, see help(optgap).

    Returns
    -------
    Report
        ``.value``, ``.optimal``, ``.bracket``, ``.bounds``, ``.policies`` (a DataFrame: policy, ties, value,
        error_bound, gap, gap_percent, gain_lost_percent, ...), ``.rows`` (the same without pandas), ``.plot(ax)``,
        ``.to_latex()``. At a limit, ``.status`` and ``.reason`` name it, ``.value`` is None, and the optimal value lies
        within ``.bracket``.

    Raises
    ------
    ValueError
        A wrong argument, with its name.
    TimeLimit, MemoryLimit
        A limit was reached before a result; ``.bracket`` has bounds on the optimal value.
    """
    return _question("compare", T, instances, options, policies=policies, ties=ties, exact=exact, explain=explain,
                     truth=truth, assume=assume, reach=reach, runs=runs, seed=seed,
                     max_policy_states=max_policy_states, max_states=max_states, max_index_time=max_index_time,
                     tie_tolerance=tie_tolerance, progress=progress)


def query(T=None, instances=(), *, history=None, policies=(), exact=False, threshold=None, tie_tolerance=1e-12,
          progress=False, **options):
    """Finds the optimal next label, of one state or of many in arrays.

    Parameters
    ----------
    T : int, str or Problem
        The budget: labels in all; "40each": for each instance. Or a Problem, with its instances. Or an array (n, k, 2)
        of n states, a and b of the posterior of each of k instances; then the second argument is the number of labels
        left, or one for each state, and options are threshold, payoff, problem and limits.
    instances : str or list
        INSTANCE words, "5x1,1 2,1@0.3", or a list of words and of priors as numbers, (2, 1).
    history : str or list of str
        The labels so far, "1+ 2-" or a list, in the form of --history; then T counts these too, and instances are
        priors.
    policies : str or list
        Also show their choices.
    exact : bool
        Values are Fractions, also in DataFrames; the priors must be rational.
    threshold : float
        Of all instances of an array (default 0.5).
    tie_tolerance : float
        Relative difference within which indices of user-defined policies tie (default 1e-12).
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Of the problem, see Problem; and limits, see help(optgap).

    Returns
    -------
    Advice
        ``.q``, a float array with the expected further gain of each choice, in the given order; ``.best``, an int
        array with the optimal choices; ``.acts``, a DataFrame with a row for each choice.
    States
        For an array: ``.q`` and ``.best``, arrays (n, k).

    Raises
    ------
    ValueError
        A wrong argument, with its name.
    TimeLimit, MemoryLimit
        A limit was reached before a result; ``.bracket`` has bounds on the optimal value.

    Examples
    --------
    >>> import optgap
    >>> optgap.query(3, "2x2,1 3,3").best
    array([0])
    >>> optgap.query(2, "3x1", problem="ranking", history="1>2").best
    array([2])
    >>> import numpy
    >>> optgap.query(numpy.array([[[2, 1], [3, 3]], [[4, 1], [1, 1]]]), [3, 1]).best
    array([[ True,  True],
           [False,  True]])
    """
    if getattr(T, "ndim", 0) == 3:
        if history is not None or policies not in ((), None) or exact:
            raise ValueError("an array of states supports no history, policies and exact=True; ask about one state")
        return query_states(T, options.pop("left", instances), threshold, progress=progress, **options)
    if threshold is not None:
        raise ValueError('threshold is for arrays of states; write it in the words of the instances, "2,1@0.3"')
    return _question("query", T, instances, options, history=history, policies=policies, exact=exact,
                     tie_tolerance=tie_tolerance, progress=progress, kind=Advice)


def bound(T=None, instances=(), *, exact=False, progress=False, **options):
    """Computes upper bounds on the optimal value without solving, for any size.

    Parameters
    ----------
    T : int, str or Problem
        The budget: labels in all; "40each": for each instance. Or a Problem, with its instances.
    instances : str or list
        INSTANCE words, "5x1,1 2,1@0.3", or a list of words and of priors as numbers, (2, 1).
    exact : bool
        Values are Fractions, also in DataFrames; the priors must be rational.
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Of the problem, see Problem; and limits, see help(optgap).
        joint_end=N, 1 <= N < T: also the bound that solves the last N labels jointly; it takes longer.

    Returns
    -------
    Report
        ``.bounds``.

    Raises
    ------
    ValueError
        A wrong argument, with its name.
    TimeLimit, MemoryLimit
        A limit was reached before a result; ``.bracket`` has bounds on the optimal value.

    Examples
    --------
    >>> import optgap
    >>> optgap.bound(4, "2x1,1", exact=True).bounds.lagrangian_scalar.value
    Fraction(51, 32)
    """
    return _question("bound", T, instances, options, exact=exact, progress=progress)


def simulate(T=None, instances=(), *, policies=(), ties=(), truth=None, counts=False, runs=10000, seed=1,
             max_index_time=60.0, tie_tolerance=1e-12, progress=False, **options):
    """Simulates policies: means with 95 % intervals.

    Parameters
    ----------
    T : int, str or Problem
        The budget: labels in all; "40each": for each instance. Or a Problem, with its instances.
    instances : str or list
        INSTANCE words, "5x1,1 2,1@0.3", or a list of words and of priors as numbers, (2, 1).
    policies : str or list
        Names ("kg,opt-kg" or a list), functions and callable objects; none: the usual policies of the problem type.
    ties : str or list of str
        "random" (default) or "first".
    truth : str
        What generates labels, "prior" (default), "beta:A,B" or "list:X,X,...".
    counts : bool
        Also count the labels of each instance, or of a ranking or an assignment the questions.
    runs : int
        2 to 10**9 (default 10000).
    seed : int, numpy.random.Generator or None
        Default 1. A Generator draws one; None: another each time. The report has it as ``.seed``.
    max_index_time, tie_tolerance : float
        As for compare.
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Of the problem, see Problem; and limits, see help(optgap).

    Returns
    -------
    Report
        ``.policies`` and ``.rows``. At a time limit, of the runs so far, if there are two.

    Raises
    ------
    ValueError
        A wrong argument, with its name.
    TimeLimit, MemoryLimit
        A limit was reached before a result; ``.bracket`` has bounds on the optimal value.
    """
    return _question("simulate", T, instances, options, policies=policies, ties=ties, truth=truth, counts=counts,
                     runs=runs, seed=seed, max_index_time=max_index_time, tie_tolerance=tie_tolerance, progress=progress)


def index(policy, T=None, instances="1,1", *, progress=False, **options):
    """Computes the table of an index policy.

    Parameters
    ----------
    policy : str or function
        One policy with an index.
    T : int, str or Problem
        The budget: labels in all; "40each": for each instance. Or a Problem, with its instances.
    instances : str or list
        INSTANCE words, "5x1,1 2,1@0.3", or a list of words and of priors as numbers, (2, 1).
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Of the problem, see Problem; and limits, see help(optgap).

    Returns
    -------
    IndexTable
        The index of each posterior that at most T labels can reach, for each possible number of labels left.
        ``.table`` is a DataFrame; for Beta priors it has the columns a, b, left and index, and about T**3 / 6 rows.
        ``.at(a, b, left=n)`` is one index. ``.relative_error`` and ``.absolute_error`` are proved bounds.

    Raises
    ------
    ValueError
        The policy has no index.

    Examples
    --------
    >>> import optgap
    >>> optgap.index("opt-kg", T=10).at(2, 1, left=3)
    0.125
    """
    return _question("index", T, instances, options, policies=policy, progress=progress,
                     kind=IndexTable)


def tree(T=None, instances=(), *, against=None, exact=False, levels=0, states=300, all_actions=False, progress=False,
         **options):
    """Builds the decision tree of the optimal policy, for small problems.

    Parameters
    ----------
    T : int, str or Problem
        The budget: labels in all; "40each": for each instance. Or a Problem, with its instances.
    instances : str or list
        INSTANCE words, "5x1,1 2,1@0.3", or a list of words and of priors as numbers, (2, 1).
    against : str or function
        Also follow the choices of this policy. Then ``.lost`` is its gap; a state has ``.reached``, the probability
        that the policy meets it, and ``.lost``; an action has ``.chosen`` and ``.lost``.
    exact : bool
        Values are Fractions, also in DataFrames; the priors must be rational.
    levels : int
        Number of labels to follow; 0: all.
    states : int
        The largest number of states (default 300); a larger tree is a ValueError.
    all_actions : bool
        Also follow actions that are not optimal.
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Of the problem, see Problem; and limits, see help(optgap).

    Returns
    -------
    Tree
        ``.states``, a list of all states, the root first. A state has ``.text``, ``.left``, ``.value`` and
        ``.actions``; an action has ``.text``, ``.optimal``, ``.value`` and ``.outcomes``; an outcome has
        ``.probability`` and ``.to``, a position in ``.states``. ``.table`` is a DataFrame with a row for each action.
        ``.plot()`` draws it.

    Raises
    ------
    ValueError
        A wrong argument, with its name.
    TimeLimit, MemoryLimit
        A limit was reached before a result; ``.bracket`` has bounds on the optimal value.

    Examples
    --------
    >>> import optgap
    >>> optgap.tree(2, "2x2,1 3,3", against="opt-kg", exact=True).lost
    Fraction(1, 96)
    >>> tree = optgap.tree(2, "2x1,1", exact=True)
    >>> tree.states[0].value, len(tree.states)
    (Fraction(3, 2), 6)
    """
    return _question("tree", T, instances, options, policies=() if against is None else against, exact=exact,
                     progress=progress, kind=Tree,
                     levels=levels, states=states, all_actions=all_actions)


def find(policy, against=None, *, claim=None, worst=False, instances=3, T=4, parameter=4, thresholds="0.5",
         price=None, payoff=None, ties="random", progress=False, **options):
    """Finds the smallest problem in which a policy is not optimal, or differs from `against`.

    Parameters
    ----------
    policy, against : str or function
        The policy, and another in place of the optimal one.
    claim : str
        Instead, the smallest problem in which the policy keeps less than this share of the other's value or gain:
        "value:C" or "gain:C" with 0 < C <= 1.
    worst : bool
        The largest loss in the whole grid.
    instances, T, parameter : int
        The grid: at most so many instances (default 3) and labels (default 4), priors with whole parameters up to
        `parameter` (default 4).
    thresholds : str or list
        "0.5" (default), "0.5,0.3" or a list.
    price : float or str
        Of each label.
    payoff : str or list
        Of calls, "1,-5,0,1" or a list: true positives, false positives, false negatives, true negatives, and perhaps
        undecided.
    ties : str
        One rule, as for compare.
    progress : bool or callable
        True: a tqdm bar; a function is called with a Progress ten times a second.
    **options
        Limits, see help(optgap). checkpoint: a file that a stopped search continues from.

    Returns
    -------
    Report
        ``.found``, None if no problem of the grid qualifies, else with ``.text``, ``.budget``, ``.loss``; then
        ``.optimal``, ``.policies`` and ``.explain`` as for compare. ``.search`` shows how much was searched.

    Raises
    ------
    ValueError
        A wrong argument, with its name.
    TimeLimit, MemoryLimit
        A limit was reached before a result; ``.bracket`` has bounds on the optimal value.

    Examples
    --------
    >>> import optgap
    >>> r = optgap.find("kg", instances=2)
    >>> r.found.text, r.found.budget, r.found.loss_exact
    ('2,1 3,1', 2, '1/32')
    """
    of = {name: options.pop(name) for name in LIMITS if name in options}
    if options:
        raise TypeError(f"find has no argument '{sorted(options)[0]}'")
    if not isinstance(thresholds, str):
        thresholds = ",".join(str(one) for one in ([thresholds] if isinstance(thresholds, float) else thresholds))
    request = Request("find", [policy] if against is None else [policy, against], ties, worst=worst, instances=instances,
                      T=whole("T", T), parameter=parameter, **of)
    request.give(claim=claim, thresholds=thresholds, **stakes_of(price, payoff))
    return Report(ask(request, progress=progress))


def verify(file, *, threads=0, memory=0):
    """Checks the file of solve(export_policy=FILE) with code that is independent of the engine.

    Parameters
    ----------
    file : path
        The exported policy.
    threads : int
        0: one per core.
    memory : int or str
        Bytes or a text such as "2G".

    Returns
    -------
    Report
        ``.value`` and ``.error_bound``.

    Raises
    ------
    ValueError
        The file is missing, or wrong in any place.
    """
    return Report(ask(Request("verify", threads=threads, memory=memory, file=file)))


def families():
    """Options of each problem type.

    Returns
    -------
    dict
        {family: {option: its argument's form, "" for a switch}}.
    """
    from optgap._problems import families as known

    return {name: dict(options) for name, options in known().items()}


add_keywords({"solve": solve, "compare": compare, "query": query, "bound": bound, "simulate": simulate, "index": index, "tree": tree,
              "optimal_policy": optimal_policy, "find": find, "fit": fit, "next": next, "replay": replay,
              "Problem": Problem.__init__, "from_counts": Problem.from_counts.__func__})
