"""Logs of one answered and repeated question and one more, as three tools write them."""

import json

QUESTIONS = {"capital": "The capital of France?", "sum": "2 + 2?"}
OUTPUTS = {"capital": ("Paris", "It is Paris"), "sum": ("4", "4")}


def inspect_log(folder):
    samples = [
        {
            "id": name,
            "epoch": epoch,
            "input": question,
            "target": "",
            "output": {"model": "made-up", "choices": [{"message": {"content": OUTPUTS[name][epoch - 1]}}]},
        }
        for epoch in (1, 2)
        for name, question in QUESTIONS.items()
    ]
    return _written(folder / "log.json", json.dumps({"version": 2, "eval": {}, "samples": samples}))


def promptfoo_log(folder, providers=("made-up", "made-up")):
    results = [
        {
            "testIdx": at,
            "prompt": {"raw": question},
            "provider": {"id": provider},
            "response": {"output": OUTPUTS[name][turn]},
            "success": True,
        }
        for turn, provider in enumerate(providers)
        for at, (name, question) in enumerate(QUESTIONS.items())
    ]
    return _written(folder / "results.json", json.dumps({"results": {"version": 3, "results": results}}))


def openai_log(folder):
    events = [
        {
            "sample_id": name,
            "type": "sampling",
            "data": {"prompt": [{"role": "user", "content": question}], "sampled": list(OUTPUTS[name])},
        }
        for name, question in QUESTIONS.items()
    ]
    lines = [{"spec": {"eval_name": "made-up"}}, *events]
    return _written(folder / "events.jsonl", "\n".join(map(json.dumps, lines)))


LOGS = {
    "inspect": (inspect_log, "id", "input"),
    "promptfoo": (promptfoo_log, "test", "prompt"),
    "openai-evals": (openai_log, "sample_id", "prompt"),
}
"""How each is written, and its columns of samples and prompts."""


def _written(path, content):
    path.write_text(content, encoding="utf-8")
    return path
