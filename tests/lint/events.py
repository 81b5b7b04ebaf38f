#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The events agree in schema.h, gaptrace.h, the provider and docs/events.md, field by field and label by label."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Events that are emitted by a function of another name.
EMITTED_BY = {"malloc_trim_begin": "gaptrace_malloc_trim", "malloc_trim_end": "gaptrace_malloc_trim",
              "lock_wait": "gaptrace_mutex_lock", "lock_acquire": "gaptrace_mutex_lock",
              "lock_release": "gaptrace_mutex_unlock"}

# Functions that emit no event of their own name.
NO_EVENT = {"gaptrace_is_on", "gaptrace_is_recording", "gaptrace_thread_name", "gaptrace_thread_end",
            "gaptrace_keyframe", "gaptrace_queue_pop_cancel", "gaptrace_malloc_trim"}
NO_EVENT_OBJECTS = ("gaptrace_mutex_", "gaptrace_rwlock_", "gaptrace_condition_")

TYPES = {"uint8_t": "u8", "uint32_t": "u32", "uint64_t": "u64", "int32_t": "i32"}

problems = []


def read(path):
    return (ROOT / path).read_text()


def differ(what, left_name, left, right_name, right):
    for item in sorted(set(left) - set(right)):
        problems.append(f"{what}: {item} is in {left_name} and not in {right_name}")
    for item in sorted(set(right) - set(left)):
        problems.append(f"{what}: {item} is in {right_name} and not in {left_name}")


def schema():
    """Event names and enumerations of schema.h."""
    text = read("trace/include/gaptrace/schema.h")
    lists = {}
    for match in re.finditer(r"#define (GAPTRACE_\w+)\(X\)((?:.*\\\n)+.*)", text):
        lists[match.group(1)] = match.group(2)
    events = set()
    for name, provider in (("GAPTRACE_HOST_EVENTS", "gaptrace"), ("GAPTRACE_GPU_EVENTS", "gaptrace_gpu")):
        for constant, event in re.findall(r"X\((\w+),\s*(\w+)\)", lists.pop(name)):
            events.add(f"{provider}:{event}")
            if constant.lower() != event:
                problems.append(f"schema.h: {constant} is the constant of {event}")
    enums = {name: [(int(value), label) for value, label in re.findall(r"X\(\w+,\s*(\d+),\s*\"(\w+)\"\)", body)]
             for name, body in lists.items()}
    return events, enums


def balanced(text, begin):
    """What stands between the parenthesis at `begin` and the one that closes it."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[begin + 1:i]
    raise ValueError("no closing parenthesis")


def fields_of(body):
    fields = []
    begin = body.index("LTTNG_UST_TP_FIELDS")
    for match in re.finditer(r"lttng_ust_field_(\w+)\(([^()]*)", body[begin:]):
        arguments = [argument.strip() for argument in match.group(2).split(",")]
        if match.group(1) == "integer":
            fields.append((arguments[1], TYPES[arguments[0]]))
        elif match.group(1) == "integer_hex":
            fields.append((arguments[1], "address"))
        elif match.group(1) == "string":
            fields.append((arguments[0], "string"))
        elif match.group(1) == "enum":
            fields.append((arguments[3], f"enum {arguments[1]}"))
        else:
            problems.append(f"the provider: a field of the kind {match.group(1)} is not known to this test")
    return fields


def provider():
    """Fields of each event, and which list of schema.h each enumeration is made from."""
    events, classes, enums = {}, {}, {}
    for path in ("trace/lttng/host_events.h", "trace/lttng/gpu_events.h"):
        text = read(path)
        for match in re.finditer(r"^LTTNG_UST_TRACEPOINT_(EVENT_CLASS|EVENT_INSTANCE|EVENT|ENUM)(?=\()", text, re.M):
            body = balanced(text, match.end())
            words = [word.strip() for word in body.split(",")]
            if match.group(1) == "ENUM":
                enums[words[1]] = re.search(r"(GAPTRACE_\w+)\(SAMPLE_ENUM_VALUE\)", body).group(1)
            elif match.group(1) == "EVENT_CLASS":
                classes[words[1]] = fields_of(body)
            elif match.group(1) == "EVENT_INSTANCE":
                events[f"{words[2]}:{words[3]}"] = classes[words[1]]
            else:
                events[f"{words[0]}:{words[1]}"] = fields_of(body)
    return events, enums


def documentation():
    """Fields of each event's heading, and the rows of the table of enumerations."""
    text = read("docs/events.md")
    events, enums = {}, {}
    for match in re.finditer(r"^### (gaptrace(?:_gpu)?:\w+)\n(.*?)(?=^#|\Z)", text, re.M | re.S):
        table = match.group(2).split("| field | type | meaning |")
        if len(table) != 2:
            problems.append(f"docs/events.md: {match.group(1)} has no table of fields")
            continue
        first_table = table[1].split("\n\n")[0]
        events[match.group(1)] = re.findall(r"^\| `(\w+)` \| ([\w ]+) \|", first_table, re.M)
    section = text[text.index("\n## Enumerations"):text.index("\n## Busy")]
    for name, labels in re.findall(r"^\| (\w+) \| (\d.*) \|$", section, re.M):
        enums[name] = [(int(value), label) for value, label in re.findall(r"(\d+) (\w+)", labels)]
    return events, enums


def check_functions(events):
    text = read("trace/include/gaptrace/gaptrace.h")
    functions = set(re.findall(r"\b(gaptrace_\w+)\(", text))
    want = set()
    for event in events:
        provider_name, name = event.split(":")
        function = EMITTED_BY.get(name, f"{provider_name}_{name}")
        want.add(function)
        if function not in functions:
            problems.append(f"gaptrace.h: no function {function} for {event}")
        emit = f"EMIT_GPU({name}" if provider_name == "gaptrace_gpu" else f"EMIT({name}"
        if not any(re.search(re.escape(emit) + r"\b", path.read_text()) for path in (ROOT / "trace/emit").glob("*.c")):
            problems.append(f"trace/emit: nothing emits {event}")
    for function in functions - want - NO_EVENT:
        if not function.startswith(NO_EVENT_OBJECTS):
            problems.append(f"gaptrace.h: {function} has no event")
    off = read("trace/emit/off.c")
    for function in functions:
        if not re.search(rf"\b{function}\b", off):
            problems.append(f"trace/emit/off.c: {function} is missing")


def main():
    names, lists = schema()
    provider_events, provider_enums = provider()
    documented_events, documented_enums = documentation()
    differ("events", "schema.h", names, "the provider", provider_events)
    differ("events", "schema.h", names, "docs/events.md", documented_events)
    for event in sorted(set(provider_events) & set(documented_events)):
        if provider_events[event] != documented_events[event]:
            problems.append(f"{event}: the provider's fields are {provider_events[event]}, those of docs/events.md "
                            f"{documented_events[event]}")
    differ("enumerations", "the provider", provider_enums, "docs/events.md", documented_enums)
    differ("enumerations", "schema.h", lists, "the provider", provider_enums.values())
    for name, list_name in provider_enums.items():
        if name in documented_enums and lists.get(list_name) != documented_enums[name]:
            problems.append(f"enum {name}: schema.h has {lists.get(list_name)}, docs/events.md {documented_enums[name]}")
    check_functions(names)
    print("\n".join(problems) if problems else
          f"{len(names)} events, {sum(map(len, provider_events.values()))} fields and {len(lists)} enumerations agree")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
