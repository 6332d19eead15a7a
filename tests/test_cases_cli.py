#!/usr/bin/env python3
"""Tables as people have them, each with a question and its right answer.

    test_cases_cli.py PROGRAM [unittest option...]

A case is a folder of files, a command, and what it prints: the pieces in its output, or for a status
above 0 in its message. `labels` shows a table, `--final` values that follow by hand: after p positive
and n negative labels with the prior 1,1 the call is right with probability 7/8 for 2-0, 3/4 for 1-0.
"""

import csv
import io
import json
import random
import re
import sys
import unittest

sys.dont_write_bytecode = True
from cli import SCALE, SEED, FolderCase, main, run  # noqa: E402

FINAL = ["--final", "--prior", "1,1"]

MONDAY, TUESDAY = "task,worker,label\na,w,1\nc,w,1\n", "task,worker,label\na,v,1\nb,v,0\nc,v,0\n"

CASES = {
    "two files of labels": (
        {"monday.csv": MONDAY, "tuesday.csv": TUESDAY},
        ["next", "--labels", "monday.csv", "--labels", "tuesday.csv", *FINAL],
        ["a\t2\t0\t1\t0.875\n", "b\t0\t1\t0\t0.75\n", "c\t1\t1\t1\t0.5\n"]),
    "two files of labels as words": (
        {"monday.csv": MONDAY, "tuesday.csv": TUESDAY}, ["labels", "monday.csv", "tuesday.csv"], ["Tasks      3\n", "Labels     5,"]),
    "two files of tasks, and of closed ones": (
        {"monday.csv": MONDAY, "p.csv": "task\nx\n", "q.csv": "task\ny\n", "r.csv": "task\na\n", "s.csv": "task\nx\n"},
        ["next", "--labels", "monday.csv", "--tasks", "p.csv", "--tasks", "q.csv", "--closed", "r.csv", "--closed", "s.csv",
         "-T", "9", "--batch", "9", "--prior", "1,1"], ["y\t"]),
    "two files of comparisons": (
        {"p.csv": "left,right,label\na,b,a\n", "q.csv": "left,right,label\nb,c,b\n"},
        ["next", "--pairs", "p.csv", "--pairs", "q.csv", "--final"], ["2 comparisons of 3 items"]),
    "the second file is not overwritten": (
        {"p.csv": MONDAY, "q.csv": TUESDAY}, ["next", "--labels", "p.csv", "--labels", "q.csv", *FINAL, "-o", "q.csv"],
        2, ["--labels and --output are the same file"]),
    "no column of workers": (
        {"votes.csv": "task,label\na,1\na,0\nb,1\nb,1\nc,0\n"},
        ["next", "--labels", "votes.csv", *FINAL], ["a\t1\t1\t1\t0.5\n", "b\t2\t0\t1\t0.875\n", "c\t0\t1\t0\t0.75\n", "2.125 of 3"]),
    "a list of labels, of which - is none": (
        {"nli.jsonl": '{"annotator_labels": ["neutral", "entailment", "neutral", "neutral", "neutral"], "gold_label": "neutral", "pairID": "p1"}\n'
                      '{"annotator_labels": ["contradiction"], "gold_label": "contradiction", "pairID": "p2"}\n'
                      '{"annotator_labels": ["entailment", "neutral", "contradiction", "neutral", "entailment", "-"], "gold_label": "-", "pairID": "p3"}\n'},
        ["labels", "--columns", "task=pairID,label=annotator_labels", "nli.jsonl", "--gold", "nli.jsonl"],
        ["Tasks      3\n", "Labels     11,", "Ties       1 ", "contradiction       2 ", "entailment          3 ", "neutral             6 ",
         "2 tasks; the majority is right in 100.00 %"]),
    "lists as pandas and NumPy print them": (
        {"nli.csv": "id,label\np1,\"['yes', 'no', 'yes']\"\np2,\"['no' 'no']\"\np3,[]\n"},
        ["labels", "nli.csv"], ["Tasks      2, and 1 without labels", "Labels     5,", "no          3 "]),
    "repeated labels are named": (
        {"votes.csv": "subject_id,user_name,answer\ns1,pat,yes\ns1,pat,yes\ns1,kim,no\ns2,kim,no\ns2,lee,no\n"},
        ["next", "--labels", "votes.csv", "--columns", "task=subject_id,worker=user_name", *FINAL],
        ["votes.csv: 1 label is of a worker who had labelled the task before"]),
    "the first of repeated labels": (
        {"votes.csv": "subject_id,user_name,answer\ns1,pat,yes\ns1,pat,no\ns1,kim,no\ns2,kim,no\ns2,lee,no\n"},
        ["next", "--labels", "votes.csv", "--repeats", "first", "--columns", "task=subject_id", *FINAL],
        ["s1\t1\t1\tyes\t0.5\n", "s2\t0\t2\tno\t0.875\n", "1 repeated label of a worker is left out"]),
    "the last of repeated labels": (
        {"votes.csv": "subject_id,user_name,answer\ns1,pat,yes\ns1,pat,no\ns1,kim,no\ns2,kim,no\ns2,lee,yes\n"},
        ["next", "--labels", "votes.csv", "--repeats", "last", "--columns", "task=subject_id", *FINAL],
        ["s1\t0\t2\tno\t0.875\n", "s2\t1\t1\tyes\t0.5\n"]),
    "rows without a label are shown": (
        {"votes.csv": "task,worker,label\na,w,1\na,v,\nb,w,0\nb,v,1\nc,v,\n"},
        ["labels", "votes.csv"], ["Tasks      2, and 1 without labels", "Labels     3,", "Missing    2 (rows without a label)"]),
    "and those of --missing": (
        {"unsure.csv": "task,worker,label\na,w,1\na,v,unsure\nb,w,0\nb,v,1\n"},
        ["labels", "--missing", "unsure", "unsure.csv"], ["Labels     3,", "Missing    1 (rows without a label)"]),
    "long names of classes": (
        {"answers.csv": 'task,worker,label\na,w,"Strongly agree: the answer is supported"\na,v,"Strongly disagree: it is not supported"\n'
                        'b,w,"Strongly agree: the answer is supported"\n'},
        ["labels", "answers.csv"], ["Strongly agree: the answer is supported       2 ", "Strongly disagree: it is not supported        1 "]),
    "names in any alphabet": (
        {"cyrillic.csv": "task,worker,label\na,w,Совершенно согласен\na,v,Не согласен\nb,w,Не согласен\n"},
        ["labels", "cyrillic.csv", "--json"], ['"class": "Не согласен"', '"class": "Совершенно согласен"']),
    "which are aligned by characters": (
        {"cyrillic.csv": "task,worker,label\na,w,Да\na,v,Не знаю\n"}, ["labels", "cyrillic.csv"], ["\nДа            1  50.0 %\nНе знаю       1  50.0 %\n"]),
    "a number for each class, of which two have labels": (
        {"day1.csv": "task,worker,label\na,w,neg\na,v,pos\n"},
        ["next", "--labels", "day1.csv", "--final", "--prior", "1,1,1"], 2, ["name classes that no label has yet by --classes"]),
    "Figure Eight: the label after the twelfth column": (
        {"full-report.csv": "_unit_id,_created_at,_golden,_id,_missed,_started_at,_tainted,_channel,_trust,_worker_id,_country,_region,_city,_ip,is_sport,is_sport_gold,text\n"
                            "9001,1/2/2020 10:00:01,false,71,,1/2/2020 10:00:00,false,chan,0.9,501,XX,,,0.0.0.0,yes,,one\n"
                            "9001,1/2/2020 10:00:05,false,72,,1/2/2020 10:00:00,false,chan,0.8,502,XX,,,0.0.0.0,no,,one\n"
                            "9002,1/2/2020 10:01:01,false,73,,1/2/2020 10:00:00,false,chan,0.9,501,XX,,,0.0.0.0,yes,yes,two\n"
                            "9002,1/2/2020 10:01:05,false,74,,1/2/2020 10:00:00,false,chan,0.8,502,XX,,,0.0.0.0,yes,,two\n"
                            "9002,1/2/2020 10:01:05,false,75,,1/2/2020 10:00:00,true,chan,0.2,503,XX,,,0.0.0.0,no,,two\n"},
        ["labels", "full-report.csv", "--gold", "full-report.csv"],
        ["Figure Eight: task '_unit_id', worker '_worker_id', label", "Tasks      2\n", "Workers    2\n", "Labels     4,", "Ties       1 ", "1 tasks; the majority is right in 100.00 %"]),
    "columns that can be the label are shown": (
        {"report.csv": "_unit_id,_created_at,_golden,_id,_missed,_started_at,_tainted,_channel,_trust,who,_country,_region,_city,_ip,is_sport,text\n"},
        ["labels", "report.csv"], 2, ["no column 'label'; there are 'who', 'is_sport', ...; name it by --columns label=NAME"]),
    "Prodigy without a session": (
        {"session.jsonl": '{"text":"one","_input_hash":1,"_task_hash":10,"label":"SPAM","answer":"accept","_session_id":null,"_annotator_id":null}\n'
                          '{"text":"two","_input_hash":2,"_task_hash":20,"label":"SPAM","answer":"reject","_session_id":null,"_annotator_id":null}\n'},
        ["labels", "session.jsonl"], ["Tasks      2\n", "Workers    1\n", "accept       1 ", "reject       1 "]),
    "workers without a name": (
        {"anonymous.csv": "task,worker,label\na,,1\na,,0\nb,k,1\n"},
        ["next", "--labels", "anonymous.csv", *FINAL], ["a\t1\t1\t1\t0.5\n", "b\t1\t0\t1\t0.75\n"]),
    "a matrix without a column of tasks": (
        {"matrix.csv": "anna,bert,cora\n1,0,1\n0,0,\n1,1,1\n"},
        ["labels", "--wide", "matrix.csv"], ["tasks are rows", "Tasks      3\n", "Workers    3\n", "Labels     8,", "Ties       0 ",
                                            "71.4 % of pairs; Krippendorff's alpha 0.533"]),
    "a matrix with pandas' index": (
        {"matrix.csv": ",anna,bert\nx,1,0\ny,0,0\n"}, ["labels", "--wide", "matrix.csv"], ["Tasks      2\n", "Workers    2\n", "Labels     4,"]),
    "a matrix whose first column is the tasks": (
        {"matrix.csv": "review,anna,bert\nr1,yes,no\nr2,no,no\nr3,yes,\n"},
        ["labels", "--wide", "matrix.csv"], 2, ["if it has the names of the tasks, give --columns task=review"]),
    "Ground Truth": (
        {"request.json": '[{"datasetObjectId":"0","dataObject":{"s3Uri":"s3://b/a.jpg"},"annotations":[{"annotationId":"1","workerId":"private.a",'
                         '"annotationData":{"content":"{\\"crowd-classifier\\":{\\"label\\":\\"Cat\\"}}"}},{"annotationId":"2","workerId":"private.b",'
                         '"annotationData":{"content":"{\\"crowd-classifier\\":{\\"label\\":\\"Dog\\"}}"}}]},\n {"datasetObjectId":"1","dataObject":{"s3Uri":'
                         '"s3://b/b.jpg"},"annotations":[{"annotationId":"3","workerId":"private.a","annotationData":{"content":"{\\"crowd-classifier\\":'
                         '{\\"label\\":\\"Cat\\"}}"}}]}]\n'},
        ["labels", "request.json"], ["Ground Truth (JSON)", "Tasks      2\n", "Workers    2\n", "Labels     3,", "Ties       1 ", "Cat         2 ", "Dog         1 "]),
    "Ground Truth: an object's worker responses": (
        {"0/answers.json": '{"answers":[{"answerContent":{"crowd-classifier":{"label":"Cat"}},"submissionTime":"2020-01-01T00:00:00Z","workerId":"private.a"},'
                           '{"answerContent":{"crowd-classifier":{"label":"Dog"}},"workerId":"private.b"}]}',
         "1/answers.json": '{"answers":[{"answerContent":{"animal":{"Dog":false,"Cat":true}},"workerId":"private.a"}]}'},
        ["labels", "0/answers.json", "1/answers.json"], ["Ground Truth (JSON)", "Tasks      2\n", "Workers    2\n", "Cat         2 ", "Dog         1 "]),
    "Ground Truth: a worker response without its content": (
        {"0/answers.json": '{"answers":[{"answerContent":{"x":{"label":"Cat"}},"workerId":"a"},{"workerId":"b"}]}'},
        ["labels", "0/answers.json"], 2, ["an answer without an object answerContent"]),
    "Ground Truth: an output manifest is gold": (
        {"output.manifest": "".join(f'{{"source-ref":"s3://b/{k}.jpg","animal":{k},"animal-metadata":{{"class-name":"{name}","confidence":0.9,'
                                    '"type":"groundtruth/image-classification"}}\n' for k, name in enumerate(["Cat", "Dog"])),
         "labels.csv": "task,label\ns3://b/0.jpg,Cat\ns3://b/1.jpg,Cat\ns3://b/1.jpg,Dog\ns3://b/1.jpg,Dog\n"},
        ["labels", "labels.csv", "--gold", "output.manifest"], ["2 tasks; the majority is right in 100.00 %"]),
    "labels with a number of times": (
        {"votes.csv": "task,label,times\na,1,3\na,0,1\nb,0,2\nc,1,0\n"},
        ["next", "--labels", "votes.csv", *FINAL], ["a\t3\t1\t1\t0.8125\n", "b\t0\t2\t0\t0.875\n"]),
    "a count beside workers is not a number of times": (
        {"votes.csv": "task,worker,label,count\na,u,1,3\na,v,0,1\n"},
        ["next", "--labels", "votes.csv", *FINAL], ["a\t1\t1\t1\t0.5\n"]),
    "whole numbers as pandas writes them beside missing ones": (
        {"votes.csv": "task,label,times\na,1,3.0\na,0,\nb,0,2.0\n"},
        ["next", "--labels", "votes.csv", *FINAL], ["a\t3\t1\t1\t0.8125\n", "b\t0\t2\t0\t0.875\n"]),
    "and in counts": (
        {"counts.csv": "task,positive,negative\na,2.0,\nb,,1.0\n"},
        ["next", "--labels", "counts.csv", *FINAL], ["a\t2\t0\tpositive\t0.875\n", "b\t0\t1\tnegative\t0.75\n"]),
    "and in capacities": (
        {"pool.csv": "task\na\nb\n", "free.csv": "worker,capacity\nw,1.0\nv,0.0\n"},
        ["next", "--tasks", "pool.csv", "--workers-free", "free.csv", "-T", "2", "--batch", "2"],
        ["the free workers can give only 1 of 2 labels"]),
    "a number of times that is none": (
        {"votes.csv": "task,label,times\na,1,often\n"}, ["labels", "votes.csv"], 2, ["line 2: the number of labels must be whole, not 'often'"]),
    "pandas' JSON by columns": (
        {"votes.json": '{"task":{"0":"a","1":"a","5":"b"},"worker":{"0":"u","1":"v","5":"u"},"label":{"0":1,"1":1,"5":0}}'},
        ["next", "--labels", "votes.json", *FINAL], ["a\t2\t0\t1\t0.875\n", "b\t0\t1\t0\t0.75\n"]),
    "pandas' JSON by rows, of tasks": (
        {"pool.json": '{"0":{"task":"a","p":0.9},"1":{"task":"b","p":null}}'},
        ["next", "--tasks", "pool.json", "-T", "2", "--model-strength", "4", "--batch", "2"], ["a\t", "b\t"]),
    "and of another object after it": (
        {"votes.json": '{"task":{"0":"a"},"label":{"0":1}}\n{"task":{"0":"b"},"label":{"0":1}}\n'},
        ["labels", "votes.json"], 2, ["line 2: another object after a table in one object"]),
    "items as keys": (
        {"votes.json": '{"a.jpg": "yes", "b.jpg": "no", "c": null}\n', "gold.json": '{"b.jpg": "no", "a.jpg": "no"}'},
        ["labels", "votes.json", "--gold", "gold.json"],
        ["JSON with items as keys, no workers", "Tasks      2, and 1 without labels\n", "Labels     2,", "2 tasks; the majority is right in 50.00 %"]),
    "items as keys, with lists of labels": (
        {"votes.json": '{"a": ["yes", "no", "yes"],\n "b": "no", "c": []}'},
        ["next", "--labels", "votes.json", *FINAL], ["a\t2\t1\tyes\t0.6875\n", "b\t0\t1\tno\t0.75\n", "c\t0\t0\t"]),
    "items as keys, with numbers as labels": (
        {"votes.json": '{"a": [1, 0.0, 1.0], "b": 0}'}, ["labels", "votes.json"], ["Labels     4,", "0           2 ", "1           2 "]),
    "items as keys, with keys of workers": (
        {"votes.json": '{"7": {"0": "yes", "1": "no"}, "8": {"0": "no", "2": ["yes"]}, "9": {}}'},
        ["labels", "votes.json"],
        ["JSON with items as keys: workers are keys inside", "Tasks      2, and 1 without labels\n", "Workers    3\n", "no          2 ", "yes         2 "]),
    "a worker's list of labels": (
        {"votes.json": '{"a": {"u": ["yes", "no"]}}'}, ["labels", "votes.json"], 2, ["several labels in one answer, where one is expected"]),
    "items as keys, with the columns of each": (
        {"votes.json": '{"a": {"label": "yes", "times": 2, "note": "x"}, "b": [{"label": "no"}, {"label": "no", "worker": "v"}], "c": {"worker": "v"}}'},
        ["next", "--labels", "votes.json", *FINAL], ["a\t2\t0\tyes\t0.875\n", "b\t0\t2\tno\t0.875\n", "c\t0\t0\t"]),
    "items as keys, with counts": (
        {"votes.json": '{"a": {"positive": 2, "negative": 0}, "b": {"positive": 0, "negative": 1}}'},
        ["next", "--labels", "votes.json", *FINAL], ["a\t2\t0\tpositive\t0.875\n", "b\t0\t1\tnegative\t0.75\n"]),
    "items as keys, with columns by --columns": (
        {"votes.json": '{"a": {"mood": "yes", "by": "u"}, "b": {"mood": "no", "by": "v"}}'},
        ["labels", "votes.json", "--columns", "label=mood,worker=by"], ["Tasks      2\n", "Workers    2\n", "Labels     2,"]),
    "an item that is there twice": (
        {"votes.json": '{"a": "yes", "b": "no", "a": "no"}'}, ["labels", "votes.json"], 2, ["items as keys: duplicate object key near '\"a\"'"]),
    "keys of one of many objects are no items": (
        {"rows.jsonl": '{"name": "a", "mood": "x"}\n{"name": "b", "mood": "y"}\n'},
        ["labels", "rows.jsonl"], 2, ["line 1: no column 'task'; there are 'name', 'mood'; name it by --columns task=NAME"]),
    "keys of a list of one object are no items": (
        {"rows.json": '[{"name": "a", "mood": "x"}]'}, ["labels", "rows.json"], 2, ["no column 'task'; there are 'name', 'mood'"]),
    "a row without its task is no list of items": (
        {"rows.json": '{"label": "yes", "worker": "w"}'}, ["labels", "rows.json"], 2, ["no column 'task'; there are 'label', 'worker'"]),
    "nor are lists of rows inside of a key, or labels deeper inside": (
        {"rows.json": '{"data": [{"task": "a", "label": "x"}]}', "deep.json": '{"a": {"u": {"mood": "x"}}}'},
        ["labels", "rows.json", "deep.json"], 2, ["rows.json, line 1: no column 'task'; there are 'data'"]),
    "a number of times that comes later": (
        {"votes.json": '[{"task": "a", "label": 1}, {"task": "a", "label": 0, "times": 2}, {"task": "b", "label": 0, "times": null}]'},
        ["next", "--labels", "votes.json", *FINAL], ["a\t1\t2\t0\t0.6875\n", "b\t0\t1\t0\t0.75\n"]),
    "and a count": (
        {"votes.jsonl": '{"task": "a", "label": 1}\n{"task": "a", "label": 0, "count": 2}\n'},
        ["next", "--labels", "votes.jsonl", *FINAL], ["a\t1\t2\t0\t0.6875\n"]),
    "a count that comes later, beside workers": (
        {"votes.jsonl": '{"task": "a", "label": 1, "worker": "u"}\n{"task": "a", "label": 0, "count": 2}\n'},
        ["next", "--labels", "votes.jsonl", *FINAL], ["a\t1\t1\t1\t0.5\n"]),
    "a worker behind counts": (
        {"votes.jsonl": '{"task": "a", "label": 0, "count": 2}\n{"task": "a", "label": 1, "worker": "u"}\n'},
        ["next", "--labels", "votes.jsonl", *FINAL], 2, ["line 2: 'count' was the number of labels, but is none beside a worker; add --columns times=NAME"]),
    "and with --columns": (
        {"votes.jsonl": '{"task": "a", "label": 0, "count": 2}\n{"task": "a", "label": 1, "worker": "u"}\n'},
        ["next", "--labels", "votes.jsonl", "--columns", "times=count", *FINAL], ["a\t1\t2\t0\t0.6875\n"]),
    "an export whose first object has no label": (
        {"min.json": '[{"id": 1, "annotator": 4, "annotation_id": 11}, {"id": 1, "annotator": 5, "annotation_id": 12, "choice": "x"}]'},
        ["labels", "min.json"], ["Label Studio: task 'id', worker 'annotator', label ''", "Labels     1,", "Missing    1 "]),
    "rankings are comparisons": (
        {"ranks.csv": "session,item,rank\ns,a,1\ns,b,2\ns,c,3\nt,b,1\nt,a,2\nu,a,1\nu,c,1\nu,b,\n"},
        ["next", "--pairs", "ranks.csv", "--final"],
        ["5 comparisons of 3 items", "1 draw counted as half a win", "1 row without a winner left out"]),
    "rankings of workers": (
        {"ranks.csv": "annotator,model,place\nu,a,1\nu,b,2\nv,b,1\nv,a,2\nw,a,1.0\nw,b,10\n"},
        ["next", "--pairs", "ranks.csv", "--final", "--workers-prior", "4,1", "--json"],
        ['"comparisons": 3', '"worker": "u"', '"worker": "w"', '"item": "a"']),
    "a rank that is none": (
        {"ranks.csv": "item,rank\na,first\n"}, ["next", "--pairs", "ranks.csv", "--final"], 2, ["the rank must be a number, not 'first'"]),
    "Zooniverse: answers inside a cell": (
        {"classifications.csv": 'classification_id,user_name,user_id,user_ip,workflow_id,annotations,subject_ids\n'
                                '1,not-logged-in-0a1b,,0a1b,10,"[{""task"":""T0"",""task_label"":""Is it round?"",""value"":""Yes""}]",77\n'
                                '2,pat,5,9c8d,10,"[{""task"":""T0"",""task_label"":""Is it round?"",""value"":""No""}]",77\n'
                                '3,pat,5,9c8d,10,"[{""task"":""T0"",""task_label"":""Is it round?"",""value"":""Yes""}]",78\n'},
        ["labels", "classifications.csv"], ["Zooniverse", "Tasks      2\n", "Workers    2\n", "Labels     3,", "Ties       1 ", "no          1 ", "yes         2 "]),
    "Zooniverse: one of several questions": (
        {"classifications.csv": 'user_name,annotations,subject_ids\n'
                                'pat,"[{""task"":""T0"",""value"":""Yes""},{""task"":""T1"",""value"":""Red""}]",77\n'
                                'kim,"[{""task"":""T0"",""value"":""No""},{""task"":""T2"",""value"":[{""x"":1.5}]}]",77\n'},
        ["labels", "classifications.csv", "--columns", "label=T1"], ["Labels     1,", "Missing    1 ", "Red         1 "]),
    "Argilla": (
        {"records.json": '[{"id": "r1", "fields": {"text": "one"}, "metadata": {}, "suggestions": {}, "responses": {"mood": [{"value": "good", "user_id": "u1"}, '
                         '{"value": "bad", "user_id": "u2"}]}, "vectors": {}}, {"id": "r2", "fields": {"text": "two"}, "responses": {}}]'},
        ["labels", "records.json"], ["Argilla (JSON)", "Tasks      1, and 1 without labels", "Workers    2\n", "bad         1 ", "good        1 "]),
    "Potato": (
        {"annotated_instances.jsonl": '{"user_id": "u", "instance_id": "1", "displayed_text": "a", "label_annotations": {"mood": {"good": true, "bad": false}}, "span_annotations": []}\n'
                                      '{"user_id": "v", "instance_id": "1", "label_annotations": {"mood": {"bad": "2"}}}\n{"user_id": "v", "instance_id": "2", "label_annotations": {}}\n'},
        ["labels", "annotated_instances.jsonl"], ["Potato (JSON)", "Tasks      1, and 1 without labels", "Workers    2\n", "bad         1 ", "good        1 "]),
    "Potato's table": (
        {"annotated_instances.tsv": "user\tinstance_id\tdisplayed_text\tmood:::good\tmood:::bad\thow:::text_box\nu\t1\ta\tgood\t\twell\nv\t1\ta\t\tbad\t\nv\t2\tb\t\t\t\n"},
        ["labels", "annotated_instances.tsv", "--columns", "label=mood"], ["Potato", "Tasks      1, and 1 without labels", "bad         1 ", "good        1 "]),
    "JSON for --tasks": (
        {"pool.jsonl": '{"task":"a","p":0.9}\n{"task":"b","p":0.4}\n'},
        ["next", "--tasks", "pool.jsonl", "-T", "2", "--model-strength", "4"], ["b\t1\t0\t0\t0.0537958913"]),
    "JSON for --workers-free": (
        {"free.json": '[{"worker":"w9"}]', "votes.csv": "task,worker,label\na,w,1\na,v,0\nb,w,1\nb,v,1\n"},
        ["next", "--labels", "votes.csv", "--workers-free", "free.json", "-T", "2", "--prior", "1,1"], ["a\t1\t1\t1\t0.1875\tw9\n"]),
    "twelve classes are counted": (
        {"twelve.csv": "task,worker,label\n" + "".join(f"t{i},w{k},{'abcdefghijkl'[(5 * i + k * k) % 12]}\n" for i in range(20) for k in range(3))},
        ["labels", "twelve.csv", "--json"], ['"tasks": 20', '"workers": 3', '"labels": 60', '"class": "l"']),
    "and solved for ten at most": (
        {"twelve.csv": "task,label\n" + "".join(f"t{i},{'abcdefghijkl'[i]}\n" for i in range(12))},
        ["next", "--labels", "twelve.csv", "-T", "2"], 2, ["12 classes, and at most 10 are supported"]),
    "several labels in a cell": (
        {"many-answers.csv": '_unit_id,_worker_id,relations\n1,7,"born_in_this_place\nlives_in_this_place"\n1,8,"born_in_this_place"\n'},
        ["labels", "--columns", "label=relations", "many-answers.csv"], 2, ["several labels in one answer"]),
    "several labels of a person": (
        {"many.jsonl": '{"task": 1, "worker": "w", "label": ["a", "b"]}\n'}, ["labels", "many.jsonl"], 2, ["line 1: several labels in one answer"]),
    "one class so far: what next": (
        {"day1.csv": "task,worker,label\na,w,cat\na,v,cat\nb,w,cat\n", "pool.csv": "task\na\nb\nc\n"},
        ["next", "--labels", "day1.csv", "--tasks", "pool.csv", "-T", "1", "--prior", "1,1"],
        ["c\t1\t0\t0\t0.25\n", "every label is 'cat', so this is the positive class; name both by --classes"]),
    "one class so far: calls": (
        {"day1.csv": "task,worker,label\na,w,cat\na,v,cat\nb,w,cat\n"},
        ["next", "--labels", "day1.csv", *FINAL], ["a\t2\t0\tcat\t0.875\n", "b\t1\t0\tcat\t0.75\n", "1.625 of 2"]),
    "one class so far: the table": (
        {"day1.csv": "task,worker,label\na,w,cat\na,v,cat\nb,w,cat\n"},
        ["labels", "day1.csv"], ["Tasks      2\n", "Workers    2\n", "Labels     3,", "Agreement  100.0 % of pairs\n"]),
    "one class so far: no fit": (
        {"day1.csv": "task,worker,label\na,w,cat\na,v,cat\nb,w,cat\n"}, ["fit", "day1.csv"], 2, ["every label is 'cat', so no Beta can be fitted"]),
    "no label so far": (
        {"day0.csv": "task,worker,label\na,,\nb,,\n"},
        ["next", "--labels", "day0.csv", *FINAL], ["a\t0\t0\t1\t0.5\n", "b\t0\t0\t1\t0.5\n", "1 of 2"]),
    "no row so far": (
        {"day0.csv": "task,worker,label\n"}, ["labels", "day0.csv"], ["Tasks      0\n", "Labels     0,"]),
    "no row so far: no fit": ({"day0.csv": "task,worker,label\n"}, ["fit", "day0.csv"], 2, ["there are no labels"]),
    "no object so far": ({"day0.json": "[]"}, ["labels", "day0.json"], ["Tasks      0\n"]),
    "a third class not seen yet": (
        {"day1.csv": "task,worker,label\na,w,neg\na,v,pos\nb,w,pos\n"},
        ["next", "--labels", "day1.csv", "--final", "--prior", "1,1,1", "--classes", "neg,neu,pos"],
        ["task\tneg\tneu\tpos\tcall\tprobability\n", "a\t1\t0\t1\t", "\t0.4351851852\n", "b\t0\t0\t1\tpos\t0.6111111111\n"]),
    "two coins, of which the first is for the last class": (
        {"day1.csv": "task,worker,label\na,w,pos\nb,v,neg\n"},
        ["next", "--labels", "day1.csv", "--final", "--prior", "1,1,1", "--classes", "neg,neu,pos", "--workers-prior", "9,1/3,2"],
        ["a\t0\t0\t1\tpos\t0.4829059829\n", "b\t1\t0\t0\tneg\t0.4885620915\n"]),
    "no fit while a class has no label": (
        {"day1.csv": "task,worker,label\na,w,neg\na,v,pos\nb,w,pos\n"},
        ["fit", "day1.csv", "--classes", "neg,neu,pos"], 2, ["no label is 'neu' yet", "such as 1,1,1"]),
    "nor before the first label": (
        {"day0.csv": "task,worker,label\n"}, ["fit", "day0.csv", "--classes", "neg,neu,pos"], 2, ["there are no labels", "such as 1,1,1"]),
    "classes of a replay": (
        {"day1.csv": "task,worker,label\na,w,neg\na,v,pos\nb,w,pos\nb,w,neg\n", "gold.csv": "task,label\na,neu\nb,pos\n"},
        ["replay", "--labels", "day1.csv", "--gold", "gold.csv", "--classes", "neg,neu,pos", "--repeats", "first", "-T", "all",
         "--prior", "1,1,1", "--policies", "uniform", "--runs", "2", "--json"], ['"accuracy": 0.5', '"labels": 3']),
    "classes of drawn labels": (
        {"gold.csv": "task,label\na,neg\nb,pos\n"},
        ["simulate", "-T", "2", "--problem", "assignment", "--gold", "gold.csv", "--crowd", "one-coin:3", "--classes", "neg,neu,pos",
         "--policies", "naive", "--runs", "2", "--json"], ['"neu",', '"accuracy": 0.33333333333333331']),
    "classes before the first label": (
        {"pool.csv": "task\na\n"}, ["next", "--tasks", "pool.csv", "--classes", "neg,neu,pos", "-T", "1"], ["task\trank\tneg\tneu\tpos\tindex\n", "prior 1,1,1"]),
    "a label that --classes does not name": (
        {"day1.csv": "task,worker,label\na,w,neg\na,v,so so\n"},
        ["labels", "day1.csv", "--classes", "neg,pos"], 2, ["line 3: the label is 'so so', which is none of the classes"]),
    "counts of labels": (
        {"counts.csv": "task,positive,negative\na,1,1\nb,2,0\nc,0,1\nd,0,\n"},
        ["next", "--labels", "counts.csv", *FINAL], ["a\t1\t1\tpositive\t0.5\n", "b\t2\t0\tpositive\t0.875\n", "c\t0\t1\tnegative\t0.75\n", "d\t0\t0\tpositive\t0.5\n"]),
    "counts of classes": (
        {"counts.csv": "id,neg,neu,pos\na,1,0,1\nb,0,0,1\n"},
        ["next", "--labels", "counts.csv", "--final", "--prior", "1,1,1", "--classes", "neg,neu,pos"], ["b\t0\t0\t1\tpos\t0.6111111111\n"]),
    "workers are asked for where they matter": (
        {"votes.csv": "task,label\na,1\na,0\nb,1\n"},
        ["next", "--labels", "votes.csv", "--final", "--prior", "1,1", "--workers-prior", "4,1"], 2,
        ["--workers-prior requires the worker of each label, and the labels have none; name their column by --columns worker=NAME"]),
    "Mechanical Turk's crowd form": (
        {"batch.csv": '"HITId","Title","WorkerId","AssignmentStatus","Input.image_url","Answer.taskAnswers","Approve","Reject"\n'
                      '"H1","Label","WA","Submitted","a.jpg","[{""category"":{""label"":""Cat""}}]","",""\n'
                      '"H1","Label","WB","Submitted","a.jpg","[{""category"":{""label"":""Dog""}}]","",""\n'
                      '"H2","Label","WA","Submitted","b.jpg","[{""category"":{""label"":""Cat""}}]","",""\n'
                      '"H2","Label","WB","Rejected","b.jpg","[{""category"":{""label"":""Dog""}}]","","x"\n'},
        ["labels", "batch.csv"], ["Tasks      2\n", "Workers    2\n", "Labels     3,", "Cat         2 ", "Dog         1 "]),
    "and its radio buttons": (
        {"radio.csv": '"HITId","WorkerId","AssignmentStatus","Input.text","Answer.taskAnswers"\n'
                      '"H1","WA","Submitted","one","[{""q"":{""no"":false,""yes"":true}}]"\n'
                      '"H1","WB","Approved","one","[{""q"":{""no"":true,""yes"":false}}]"\n'
                      '"H2","WA","Approved","two","[{""q"":{""no"":false,""yes"":true}}]"\n'},
        ["labels", "radio.csv"], ["no          1 ", "yes         2 "]),
    "+ and - are classes": (
        {"signs.csv": "task,worker,label\na,w,+\na,v,-\nb,w,+\n"}, ["labels", "signs.csv"], ["Labels     3,", "+           2 ", "-           1 "]),
    "keys of comparisons that come later": (
        {"battles.json": '[{"left": "a", "right": "b"}, {"left": "a", "right": "b", "label": "a", "times": 2}, {"left": "b", "right": "a", "label": "b"}]'},
        ["next", "--pairs", "battles.json", "--final"], ["3 comparisons of 2 items", "1 row without a winner left out"]),
    "a key that never comes": (
        {"battles.json": '[{"left": "a", "right": "b"}, {"left": "a", "right": "b", "won": "a"}]'},
        ["next", "--pairs", "battles.json", "--final"], 2, ["no column 'label'; there are 'left', 'right', 'won'; name it by --columns label=NAME"]),
    "a key of --columns that comes later": (
        {"votes.jsonl": '{"t": "a"}\n{"t": "a", "mood": "x"}\n{"t": "b", "mood": "y", "by": "w"}\n'},
        ["labels", "votes.jsonl", "--columns", "task=t,label=mood,worker=by"], ["Tasks      2\n", "Labels     2,", "Missing    1 "]),
    "a key of --columns that never comes": (
        {"votes.jsonl": '{"t": "a"}\n{"t": "a", "mood": "x"}\n'},
        ["labels", "votes.jsonl", "--columns", "task=t,label=mod"], 2, ["no column 'mod' (--columns); there are 't', 'mood'"]),
    "events, of which arrivals have no task": (
        {"events.json": '[{"event": "arrive"}, {"event": "done", "task": "a"}]', "labels.csv": "task,worker,label\na,w,1\n", "gold.csv": "task,label\na,1\n"},
        ["replay", "--labels", "labels.csv", "--gold", "gold.csv", "--arrival-rate", "1", "--service-rate", "1", "--arrivals", "1",
         "--events", "events.json", "--prior", "1,1", "--policies", "uniform", "--runs", "2", "--json"], ['"policies"']),
    "a key that comes later": (
        {"pool.json": '[{"task": "a"}, {"task": "b", "label": "x", "worker": 7}, {"task": "b", "label": "y"}]'},
        ["labels", "pool.json"], ["Tasks      1, and 1 without labels", "Workers    1; 1 label without a worker's name", "Labels     2,", "Missing    1 "]),
}


class Cases(FolderCase):
    def test_each_has_its_answer(self):
        for name, (files, words, *expected) in CASES.items():
            status, pieces = expected if len(expected) == 2 else (0, expected[0])
            for file, text in files.items():
                (self.folder / file).parent.mkdir(exist_ok=True)
                self.write(file, text)
            with self.subTest(name):
                done = run(*words, folder=self.folder)
                self.assertEqual(done.returncode, status, done.stderr)
                said = done.stdout + done.stderr if status == 0 else done.stderr
                for piece in pieces:
                    exact = piece.startswith("\n")  # whole lines
                    self.assertIn(*(text if exact else re.sub(" +", " ", text) for text in (piece, said)))

    def test_the_plain_table_has_all_tasks(self):
        """`labels -o` keeps tasks without labels: the same task is named next, and the table is its own."""
        one = lambda id, mood, **more: {"id": id, "completed_by": 3 + id % 2, "was_cancelled": False, "result": [
            {"from_name": "s", "type": "choices", "value": {"choices": [mood]}}], **more}
        export = [{"id": 11, "data": {}, "annotations": [one(1, "Positive"), one(2, "Negative")]},
                  {"id": 12, "data": {}, "annotations": [{**one(3, ""), "was_cancelled": True, "result": []}]},
                  {"id": 13, "data": {}, "annotations": [one(4, "Positive")]}, {"id": 14, "data": {}, "annotations": []}]
        self.write("export.json", json.dumps(export))
        self.assertEqual(run("labels", "export.json", "-o", "plain.csv", folder=self.folder).returncode, 0)
        for file in "export.json", "plain.csv":
            self.assertIn("\n12\t1\t0\t0\t0.25\n", run("next", "--labels", file, "-T", "1", "--prior", "1,1", folder=self.folder).stdout)
        self.assertEqual(run("labels", "plain.csv", "-o", "again.csv", folder=self.folder).returncode, 0)
        self.assertEqual((self.folder / "again.csv").read_text(), (self.folder / "plain.csv").read_text())


class Forms(FolderCase):
    """Random labels in every form: the same calls."""

    def test_each_form_has_the_same_calls(self):
        draw = random.Random(SEED)
        for _ in range(int(4 * SCALE) + 1):
            classes = draw.choice([["no", "yes"], ["a", "b", "c"]])
            rows = [(f"t{draw.randrange(6)}", f"w{draw.randrange(4)}", draw.choice(classes)) for _ in range(draw.randint(1, 30))]
            answers = {name: self.calls(*self.form(name, rows, classes), classes) for name in self.FORMS}
            for name, answer in answers.items():
                self.assertEqual(answer, answers["long"], (name, rows))

    FORMS = ["long", "json", "lines", "tabs", "nameless", "lists", "counts", "shuffled"]

    def form(self, name, rows, classes):
        tasks = {}
        for task, _, label in rows:
            tasks.setdefault(task, []).append(label)
        heads, body = ["task", "worker", "label"], rows
        if name == "nameless":
            heads, body = ["task", "label"], [(task, label) for task, _, label in rows]
        elif name == "lists":
            heads, body = ["task", "label"], list(tasks.items())
        elif name == "counts":
            heads, body = ["task", *classes], [(task, *map(own.count, classes)) for task, own in tasks.items()]
        elif name == "shuffled":
            body = random.Random(len(rows)).sample(rows, len(rows))
        objects = [dict(zip(heads, row)) for row in body]
        out = io.StringIO()
        csv.writer(out, delimiter="\t" if name == "tabs" else ",", lineterminator="\n").writerows([heads, *body])
        text = json.dumps(objects) if name == "json" else "\n".join(map(json.dumps, objects)) if name in ("lines", "lists") else out.getvalue()
        return self.write(f"labels-{name}", text),

    def calls(self, file, classes):
        done = run("next", "--final", "--prior", ",".join("1" * len(classes)), "--labels", file, "--classes", ",".join(classes), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(json.dumps(row) for row in json.loads(done.stdout)["final"])


if __name__ == "__main__":
    main()
