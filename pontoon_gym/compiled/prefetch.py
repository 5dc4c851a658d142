"""The processor's instruction that asks for memory before it is needed."""

from __future__ import annotations

from typing import Any

import numba
import numba.extending
from llvmlite import ir as llvm

_ir: Any = llvm
_config: Any = numba.config


def _prefetch(context: Any, record: Any, offset: Any) -> Any:
    """numba's typing of `fetch`, and the processor's instruction for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, line = _ir.IntType(32), _ir.IntType(8).as_pointer()
        instruction = _ir.FunctionType(_ir.VoidType(), [line, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [line], instruction)
        at = builder.gep(builder.bitcast(arguments[0], line), [arguments[1]])
        to_write, keep, data = (_ir.Constant(number, n) for n in (1, 3, 1))
        builder.call(prefetch, [at, to_write, keep, data])
        return context.get_dummy_value()

    return numba.types.void(record, numba.types.int64), generate


def _no_fetch(record: Any, offset: int) -> None:
    """Plain Python has no say in it."""


fetch: Any = _no_fetch if _config.DISABLE_JIT else numba.extending.intrinsic(_prefetch)
"""`fetch(record, offset)` asks for the memory that lies `offset` bytes into a record, which will be wanted soon."""
