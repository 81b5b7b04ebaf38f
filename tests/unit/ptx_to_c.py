#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes C of the PTX that nvcc makes of a kernel, so that a machine without a GPU can run it.

usage: ptx_to_c.py FILE.ptx FILE.c

A kernel NAME becomes ptx_NAME(block, thread, arguments), arguments as for cudaLaunchKernel(). Memory
of the device is the host's; what is not aligned ends the program, as a GPU would end the kernel. Only
what our kernels are made of is known: anything else is an error here.
"""
import re
import sys

ENTRY = re.compile(r"\.visible \.entry (\w+)\(")
REGISTER = re.compile(r"%([a-zA-Z]+)(\d*)")
KINDS = {"pred": "int", "b16": "uint16_t", "b32": "uint32_t", "b64": "uint64_t"}
BITS = {"16": 16, "32": 32, "64": 64}
SPECIAL = {"%ctaid.x": "block", "%ntid.x": "KERNEL_THREADS", "%tid.x": "thread"}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
SIMPLE = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}

# In all of these bit 32 of `wide` is the carry, and of a difference the borrow.
CARRY = {
    "add": "(uint64_t){0} + {1}", "addc": "(uint64_t){0} + {1} + cc",
    "sub": "(uint64_t){0} - {1}", "subc": "(uint64_t){0} - {1} - cc",
    "mad.lo": "(uint32_t)({0} * {1}) + (uint64_t){2}", "madc.lo": "(uint32_t)({0} * {1}) + (uint64_t){2} + cc",
    "mad.hi": "((uint64_t){0} * {1} >> 32) + {2}", "madc.hi": "((uint64_t){0} * {1} >> 32) + {2} + cc"}


def fail(what):
    sys.exit(f"ptx_to_c.py: {what}: not known here")


class Kernel:
    def __init__(self, name):
        self.name = name
        self.lines = []

    def value(self, text, cast=""):
        """An operand: a register, a number, an address of a parameter or of local memory."""
        text = text.strip()
        if text in SPECIAL:
            return SPECIAL[text]
        if text.startswith("%"):
            return f"({cast}){text[1:]}" if cast else text[1:]
        if text.startswith("__local_depot"):
            return "(uint64_t)(uintptr_t)depot"
        parameter = re.fullmatch(rf"{self.name}_param_(\d+)", text)
        if parameter:
            return f"(uint64_t)(uintptr_t)arguments[{parameter.group(1)}]"
        if re.fullmatch(r"-?\d+", text):
            return f"({cast or 'int64_t'}){text}"
        if re.fullmatch(r"0x[0-9A-Fa-f]+", text):
            return f"({cast or 'int64_t'}){text}"
        return fail(f"operand {text}")

    def address(self, text):
        base, _, offset = text.strip()[1:-1].partition("+")
        return f"({self.value(base, 'uint64_t')} + (uint64_t)(int64_t)({offset or 0}))"

    def put(self, target, value, bits):
        self.lines.append(f"\t{target.strip()[1:]} = (uint{bits}_t)({value});")

    def memory(self, operation, operands):
        """ld and st, of one word or of a vector."""
        count = 2 if ".v2." in operation else 4 if ".v4." in operation else 1
        bits = int(re.search(r"\.[ubs](8|16|32|64)$", operation).group(1))
        if operation.startswith("ld."):
            registers, place = operands.rsplit(",", 1)
        else:
            place, registers = operands.split(",", 1)
        registers = [word.strip() for word in registers.strip().strip("{}").split(",")]
        if len(registers) != count:
            fail(f"{operation} {operands}")
        self.lines.append(f"\taddress = ptx_aligned({self.address(place)}, {count * bits // 8});")
        for i, register in enumerate(registers):
            word = f"((uint{bits}_t *)(uintptr_t)address)[{i}]"
            if operation.startswith("ld."):
                self.lines.append(f"\t{register[1:]} = {word};")
            else:
                self.lines.append(f"\t{word} = (uint{bits}_t){self.value(register)};")

    def carry(self, operation, target, operands):
        words = operation.split(".")
        name = ".".join(word for word in words[:-1] if word != "cc")
        values = [self.value(operand, "uint32_t") for operand in operands]
        self.lines.append(f"\twide = {CARRY[name].format(*values)};")
        if "cc" in words:
            self.lines.append("\tcc = (uint32_t)(wide >> 32) & 1;")
        self.lines.append(f"\t{target.strip()[1:]} = (uint32_t)wide;")

    def arithmetic(self, operation, target, operands):
        words = operation.split(".")
        name, kind = words[0], words[-1]
        if kind == "pred":
            values = [self.value(operand) for operand in operands]
            text = {"mov": "{0}", "not": "!{0}", "and": "{0} & {1}", "or": "{0} | {1}", "xor": "{0} ^ {1}"}[name].format(*values)
            text = text.replace("(int64_t)-1", "1")
            self.lines.append(f"\t{target.strip()[1:]} = ({text}) & 1;")
            return
        bits = BITS[kind[1:]]
        plain, signed = f"uint{bits}_t", f"int{bits}_t"
        cast = signed if kind[0] == "s" and name in ("setp", "shr", "min", "max", "rem", "div", "abs") else plain
        values = [self.value(operand, cast) for operand in operands]
        if name == "setp":
            self.lines.append(f"\t{target.strip()[1:]} = {values[0]} {COMPARE[words[1]]} {values[1]};")
        elif name == "mov":
            self.put(target, values[0], bits)
        elif name in SIMPLE:
            self.put(target, f"{values[0]} {SIMPLE[name]} {values[1]}", bits)
        elif name == "selp":
            self.put(target, f"{operands[2].strip()[1:]} ? {values[0]} : {values[1]}", bits)
        elif name in ("shl", "shr"):
            shift = self.value(operands[1], "uint32_t")
            sign = "<<" if name == "shl" else ">>"
            self.put(target, f"{shift} < {bits} ? {values[0]} {sign} {shift} : 0", bits)
        elif name == "mul" and words[1] == "wide" and kind == "u32":
            self.put(target, f"(uint64_t){values[0]} * {values[1]}", 64)
        elif name in ("mul", "mad") and words[1] == "lo":
            self.put(target, " * ".join(values[:2]) + (f" + {values[2]}" if name == "mad" else ""), bits)
        elif name in ("neg", "not"):
            self.put(target, f"{'-' if name == 'neg' else '~'}{values[0]}", bits)
        elif name == "abs":
            self.put(target, f"{values[0]} < 0 ? -(uint64_t){values[0]} : (uint64_t){values[0]}", bits)
        elif name in ("min", "max"):
            self.put(target, f"{values[0]} {'<' if name == 'min' else '>'} {values[1]} ? {values[0]} : {values[1]}", bits)
        elif name in ("rem", "div"):
            self.put(target, f"{values[0]} {'%' if name == 'rem' else '/'} {values[1]}", bits)
        elif name == "brev":
            self.put(target, f"ptx_reverse({values[0]})", bits)
        else:
            fail(operation)

    def instruction(self, operation, operands):
        if operation in ("bra", "bra.uni"):
            self.lines.append(f"\tgoto {operands.replace('$', 'label')};")
        elif operation == "ret":
            self.lines.append("\treturn;")
        elif operation.startswith(("ld.", "st.")):
            self.memory(operation, operands)
        elif operation == "atom.global.add.u32":
            target, place, value = operands.split(",")
            self.lines.append(f"\taddress = ptx_aligned({self.address(place)}, 4);")
            self.lines.append(f"\t{target.strip()[1:]} = *(uint32_t *)(uintptr_t)address;")
            self.lines.append(f"\t*(uint32_t *)(uintptr_t)address += {self.value(value, 'uint32_t')};")
        else:
            target, *rest = operands.split(",")
            words = operation.split(".")
            if words[0] == "cvta":
                self.put(target, self.value(rest[0], "uint64_t"), 64)
            elif words[0] == "cvt":
                if words[1][0] == "s" and words[2][0] == "s":
                    self.put(target, f"(int{words[1][1:]}_t)(int{words[2][1:]}_t){rest[0].strip()[1:]}", words[1][1:])
                else:
                    self.put(target, f"(uint{words[2][1:]}_t){rest[0].strip()[1:]}", words[1][1:])
            elif "cc" in words or words[0] in ("addc", "subc", "madc"):
                self.carry(operation, target, rest)
            else:
                self.arithmetic(operation, target, rest)

    def line(self, text):
        """One of its body."""
        declaration = re.fullmatch(r"\.reg \.(\w+)\s+%(\w+?)(?:<(\d+)>)?;", text)
        depot = re.fullmatch(r"\.local \.align (\d+) \.b8\s+__local_depot\d+\[(\d+)\];", text)
        label = re.fullmatch(r"(\$\w+):", text)
        guard = re.fullmatch(r"@(!?)%(p\d+) (.*)", text)
        if declaration:
            kind, name, count = declaration.groups()
            names = [f"{name}{i}" for i in range(1, int(count))] if count else [name]
            for i in range(0, len(names), 16):
                self.lines.append(f"\t{KINDS[kind]} {', '.join(f'{word} = 0' for word in names[i:i + 16])};")
        elif depot:
            self.lines.append(f"\t_Alignas({depot.group(1)}) uint8_t depot[{depot.group(2)}] = {{0}};")
        elif label:
            self.lines.append(f"{label.group(1).replace('$', 'label')}:;")
        elif guard:
            self.lines.append(f"\tif ({guard.group(1)}{guard.group(2)}) {{")
            self.line(guard.group(3))
            self.lines.append("\t}")
        else:
            operation, _, operands = text.rstrip(";").partition(" ")
            self.instruction(operation, operands.strip())

    def write(self, stream):
        stream.write(f"\nvoid ptx_{self.name}(uint32_t block, uint32_t thread, void **arguments)\n{{\n")
        stream.write("\tuint64_t address = 0, wide = 0;\n\tuint32_t cc = 0;\n\n")
        stream.write("\n".join(self.lines) + "\n}\n")


def translate(source, target):
    kernel, has_begun = None, False
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
        out.write('/* Made by ptx_to_c.py. */\n#include "tests/unit/ptx.h"\n')
        for line in lines:
            text = re.sub(r"\s+", " ", line.split("//")[0]).strip()
            entry = ENTRY.match(text)
            if entry:
                kernel, has_begun = Kernel(entry.group(1)), False
            elif kernel and text == "{" and not has_begun:
                has_begun = True
            elif kernel and has_begun and text == "}" and not kernel.lines[-1].endswith("{"):
                kernel.write(out)
                kernel = None
            elif kernel and has_begun and text not in ("", "{", "}") and not text.startswith(("/*", ".loc ", ".file", ".pragma")):
                kernel.line(text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    translate(*sys.argv[1:])


if __name__ == "__main__":
    main()
