"""Keys of the program's JSON as the stubs name them: make_stubs writes a class for each, tests compare them with documents.

A class has scalars, whose kinds are those of tables (optgap/_columns.py), and parts with their types. N: a float, or with exact=True a
Fraction. What is None at a limit has a type with Any, so that it can be used without a check. A key with the name of a method of
mappings, such as "items", is no attribute.
"""

FRACTIONS = frozenset("value gain gap q price prices mean variance regret loss lost probability action_value call_value "
                      "law wrong labels_law cost_regret gains".split())

SCALARS = {
    "Optimal": "value gain error_bound engine states forgotten memory_bytes seconds limit share correct within_error more_than budget name",
    "Bound": "value error_bound price converged labels",
    "Row": "name ties status limit truth_limit believed_limit explain_limit value gain error_bound engine states memory_bytes seconds gap "
           "gap_error_bound gap_percent gain_lost_percent gap_at_most gap_at_most_percent gain_lost_at_most_percent "
           "tolerance_ties simulated runs standard_error low high mean accuracy accuracy_standard_error called_value share "
           "more_than within_error regret cost_regret regret_bound called believed_error set_size votes_per_task labelled testers",
    "Under": "mean error_bound variance variance_error_bound regret regret_error_bound relative_error states seconds price "
             "price_error_bound",
    "Labels": "least most error_bound",
    "Equal": "value gap gain_lost_percent error labels labels_error price",
    "Point": "labels tasks accuracy standard_error low high seconds table_seconds reward regret cost_regret wrong wrong_standard_error "
             "votes majority called bought score labels_given labels_new labels_right",
    "Estimate": "mean standard_error",
    "Instance": "text count threshold undecided positive negative cost disagreement",
    "Description": "objective budget left each price batch arrival_rate service_rate deadline turn_away hypotheses "
                   "once history everybody_right best_right weighted_right unknown",
    "Forecast": "table_bytes memory_limit_bytes",
    "PolicyFile": "file actions states near_ties bytes",
    "ModelFile": "file format property command constant states choices transitions bytes",
    "Search": "policy against ties claim worst instances budget parameter stakes settled complete limit tolerance",
    "Found": "text budget number smaller loss loss_is_share",
    "State": "text left value chance cut reached lost",
    "Action": "text optimal value chosen lost",
    "Outcome": "text probability to",
    "Act": "text count threshold q error_bound lost optimal near_tie q_lower q_upper lost_at_most instance worker set name",
}
PARTS = {
    "Optimal": {"accuracy": "str", "labels": "Any", "truth": "Under[N]", "believed": "Under[N]"},
    "Bound": {"prices": "list[N]"},
    "Row": {"labels": "Any", "truth": "Under[N]", "believed": "Under[N]", "explain": "Part", "equal": "Equal[N]", "points": "list[Point[N]]",
            "schedule": "Part", "sets": "list[Part]", "interval": "list[float]", "accuracy_interval": "list[float]", "difference": "Estimate", "correct_difference": "Estimate",
            "paid": "Estimate", "by_instance": "list[float]"},
    "Under": {"law": "list[N]", "wrong": "list[N]", "labels": "list[N]", "labels_law": "list[list[N]]"},
    "Labels": {"exact": "Any", "law": "list[float]"},
    "Equal": {"labels_exact": "str"},
    "Point": {"interval": "list[float]", "difference": "Estimate"},
    "Estimate": {"interval": "list[float]"},
    "Instance": {"prior": "list[Any]", "payoff": "list[float]", "features": "list[float]", "context": "Any"},
    "Description": {"instances": "list[Instance]", "workers": "list[Any]", "sources": "list[Any]", "service": "Any", "arrival": "Any", "weight_mean": "Any",
                    "weight_sd": "Any", "explore": "Any", "best_set": "list[int]",
                    "theory": "Part"},
    "Search": {"problems": "float", "thresholds": "list[float]"},
    "Forecast": {"states": "float", "bytes_per_state": "float", "memory_bytes": "float", "blocks": "Part", "margin": "Part"},
    "State": {"actions": "list[Action[N]]"},
    "Action": {"outcomes": "list[Outcome[N]]"},
    "Act": {"posterior": "list[Any]", "pair": "list[int]"},
}
# Keys of whole documents, by the class of the report; those of Report belong to all.
REPORTS = {
    "Report": {"version": "str", "accuracy": "str", "commit": "str", "command": "str", "seed": "int", "problem": "Description", "call_value": "N | Any",
               "optimal": "Optimal[N]", "bracket": "Part", "bounds": "Bounds[N]", "forecast": "Forecast", "policy": "Any", "model": "ModelFile",
               "truth": "str", "truths": "list[Part]", "believed": "str", "reach": "Part", "runs": "int", "difference_to": "int",
               "rounding": "float", "seconds": "float", "search": "Search", "found": "Found[N]", "prices_solved": "int",
               "file": "str", "budget": "int", "instances": "Any", "actions": "Any", "states": "Any", "near_ties": "int", "gain": "N | Any",
               "error_bound": "float", "certificate": "str", "certified": "str", "stated_value": "float", "stated_error_bound": "float",
               "optimality_certified": "bool", "optimality_states": "int", "loss_bound": "float"},
    "Advice": {"left": "int", "instances": "list[Act[N]]", "actions": "list[Act[N]]", "indices": "Part", "leading": "Part"},
    "IndexTable": {"columns": "list[str]", "relative_error": "float", "absolute_error": "float", "note": "str"},
    "Tree": {"states": "list[State[N]]", "unit": "str", "gains": "bool", "against": "str", "lost": "N | Any",
             "figure": "Part"},
    "Batch": {"tasks": "int", "labels": "int", "prior": "Any", "prior_from": "str", "model_strength": "float", "batch": "int", "open": "int",
              "gain_at_most": "float", "gain_at_least": "float", "loss_at_most": "float", "summary": "str", "done": "int", "price": "float",
              "worth_a_label": "int", "stop": "bool", "classes": "list[str]", "positive_class": "str", "negative_class": "str",
              "calibration_factor": "float", "reliability": "list[Part]", "settled": "Any", "workers": "list[Part]", "next": "list[Part]",
              "final": "list[Part]", "value_now": "float", "value_at_most": "float", "sources": "list[Part]", "comparisons": "int",
              "draws": "str", "pairs_right": "float"},
    "Replay": {"tasks": "int", "workers": "Any", "labels": "int", "prior": "Any", "task_priors": "Any", "worker_priors": "Any",
               "tasks_without_gold": "int", "gold_without_labels": "int", "repeated_labels": "int", "final_ties": "int",
               "all_labels_accuracy": "float", "classes": "Any", "contexts": "Any", "crowd": "Any", "fill": "Any", "fill_accuracy": "float",
               "comparisons": "int", "skipped": "int", "item_prior": "Any", "workers_prior": "Any", "labelers": "int",
               "price": "Any", "payoff": "Any", "undecided": "Any", "error": "Any", "error_at_most": "Any"},
    "Study": {"study": "str", "cells": "int", "finished": "int"},
}
BOUNDS = ("lagrangian_scalar lagrangian_vector prevailing_charge priced_end joint_end margin one_by_one pairs everything split told "
          "told_later bayes_vote known_accuracies full_information").split()
GENERIC = ("Report", "Advice", "Tree", "Optimal", "Bound", "Bounds", "Row", "Under", "Equal", "Point", "Found", "State", "Action", "Outcome", "Act")
