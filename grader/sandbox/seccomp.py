"""System-call filters in classic BPF: a deny-list for the tracer, an allow-list for the compiler.

The kernel runs a filter over `struct seccomp_data` at every system call (seccomp(2), and
Documentation/networking/filter.rst for the instructions). Both filters refuse sockets and new
namespaces, and answer ENOSYS to clone3, whose flags a filter cannot read: libc then calls clone.
"""

import dataclasses
import errno
import platform
import struct
from collections.abc import Iterable, Mapping

from grader.sandbox.system_calls import COMPILER_MAY, NUMBERS, TRACER_MUST_NOT

_LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_JUMP_NOT_BELOW = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_JUMP_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K

_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT = 0, 4, 16  # offsets into struct seccomp_data

_ALLOW = 0x7FFF0000
_KILL = 0x80000000  # the whole process
_REFUSE = 0x00050000  # or'ed with the errno that the call then returns

# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of linux/sched.h.
_NEW_NAMESPACES = 0x7E020080
_X32_NUMBERS = 0x40000000  # x86-64's second calling convention, with numbers of its own
_AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


@dataclasses.dataclass(frozen=True, slots=True)
class _Instruction:
    """One `struct sock_filter`; jumps are counted in instructions from the next one."""

    code: int
    operand: int
    if_true: int = 0
    if_false: int = 0

    def packed(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.if_true, self.if_false, self.operand)


def tracer_filter(machine: str | None = None) -> bytes:
    """Everything but what reaches out of the process: what learners import varies too much to list.

    Raises LookupError on a processor that has no table here.
    """
    numbers = _numbers(machine)
    checks = _answers(numbers, TRACER_MUST_NOT, _refuse(errno.EPERM))
    newest = max(numbers.values())
    # A call newer than the table is unknown to this filter, so it does not exist.
    unknown = [_Instruction(_JUMP_NOT_BELOW, newest + 1, 0, 1), _return(_refuse(errno.ENOSYS))]
    return _program(machine, [*checks, *unknown, _return(_ALLOW)])


def compiler_filter(machine: str | None = None) -> bytes:
    """Only what compiling and running on the CPU was seen to need. Raises LookupError as above."""
    checks = _answers(_numbers(machine), COMPILER_MAY, _ALLOW)
    return _program(machine, [*checks, _return(_refuse(errno.EPERM))])


def _program(machine: str | None, checks: Iterable[_Instruction]) -> bytes:
    """The architecture, what needs an argument read, then `checks`, whose last is a return."""
    name = machine or platform.machine()
    numbers = _numbers(machine)
    start = [
        _Instruction(_LOAD_WORD, _AT_ARCHITECTURE),
        _Instruction(_JUMP_EQUAL, _AUDIT_ARCHITECTURE[name], 1, 0),
        _return(_KILL),
        _Instruction(_LOAD_WORD, _AT_NUMBER),
        _Instruction(_JUMP_NOT_BELOW, _X32_NUMBERS, 0, 1),
        _return(_refuse(errno.ENOSYS)),
        *_answers(numbers, ["clone3"], _refuse(errno.ENOSYS)),
        _Instruction(_JUMP_EQUAL, numbers["clone"], 0, 4),
        _Instruction(_LOAD_WORD, _AT_FIRST_ARGUMENT),
        _Instruction(_JUMP_ANY_BIT, _NEW_NAMESPACES, 0, 1),
        _return(_refuse(errno.EPERM)),
        _return(_ALLOW),
    ]
    return b"".join(instruction.packed() for instruction in [*start, *checks])


def _answers(numbers: Mapping[str, int], names: Iterable[str], answer: int) -> list[_Instruction]:
    """Give one answer to each of these calls that this processor has."""
    instructions: list[_Instruction] = []
    for name in names:
        if name in numbers:
            instructions += [_Instruction(_JUMP_EQUAL, numbers[name], 0, 1), _return(answer)]
    return instructions


def _numbers(machine: str | None) -> Mapping[str, int]:
    name = machine or platform.machine()
    try:
        return NUMBERS[name]
    except KeyError:
        known = ", ".join(sorted(NUMBERS))
        raise LookupError(f"no system-call table for {name}; there are: {known}") from None


def _return(value: int) -> _Instruction:
    return _Instruction(_RETURN, value)


def _refuse(error: int) -> int:
    return _REFUSE | error
