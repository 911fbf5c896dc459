// Works around a fault of V8 in the compiled kernel, so that the sources need not know of it.
//
// On x64 processors without AVX, V8's baseline compiler uses the first operand of four vector
// instructions twice, in place of the second, where the first is a local and the second is not. So
// the second operand gets a local too, which costs the optimizing compiler nothing.
// decisions/kernel.md says which versions have the fault, and when this file can go.

import { pathToFileURL } from 'node:url';

/** Gives the module with the second operand of each of these instructions held in a local. */
export async function holdOperands(wasm: Uint8Array, binaryenFile: string): Promise<Uint8Array> {
  const binaryen: Binaryen = (await import(pathToFileURL(binaryenFile).href)).default;
  const faulty = new Set<unknown>([
    binaryen.Q15MulrSatSVecI16x8,
    binaryen.RelaxedQ15MulrSVecI16x8,
    binaryen.SwizzleVecI8x16,
    binaryen.RelaxedSwizzleVecI8x16,
  ]);
  const module = binaryen.readBinary(wasm);
  module.setFeatures(binaryen.Features.All);
  for (let index = 0; index < module.getNumFunctions(); index++) {
    const target = module.getFunctionByIndex(index);
    const instructions = expressionsIn(binaryen, binaryen.Function.getBody(target)).filter(
      (found) => faulty.has(binaryen.getExpressionInfo(found).op),
    );
    if (instructions.length === 0) continue;
    const local = binaryen._BinaryenFunctionAddVar(target, binaryen.v128);
    for (const instruction of instructions) {
      const held = module.local.tee(local, binaryen.Binary.getRight(instruction), binaryen.v128);
      binaryen.Binary.setRight(instruction, held);
    }
  }
  if (module.validate() === 0) throw new Error('Holding the operands broke the kernel.');
  return module.emitBinary();
}

/** The expression and all inside it. */
function expressionsIn(binaryen: Binaryen, expression: Expression): readonly Expression[] {
  const { id, ...members } = binaryen.getExpressionInfo(expression);
  // The value of a constant is a number, not an expression.
  if (id === binaryen.ConstId) return [expression];
  const inside = operandNames.flatMap((name) => members[name] ?? []).filter((found) => found !== 0);
  return [expression, ...inside.flatMap((found) => expressionsIn(binaryen, found))];
}

/** What Binaryen calls the expressions that an expression holds. */
const operandNames = [
  'children',
  'operands',
  'body',
  'condition',
  'ifTrue',
  'ifFalse',
  'value',
  'ptr',
  'left',
  'right',
  'vec',
  'shift',
  'a',
  'b',
  'c',
  'dest',
  'source',
  'size',
] as const;

/** An address in the memory of Binaryen; 0: none. */
type Expression = number;

type ExpressionInfo = Readonly<{ id: number; op?: number }> &
  Readonly<Partial<Record<(typeof operandNames)[number], Expression | readonly Expression[]>>>;

/** The part of Binaryen that is used here. It comes with the AssemblyScript compiler. */
interface Binaryen {
  readonly Q15MulrSatSVecI16x8: number;
  readonly RelaxedQ15MulrSVecI16x8: number;
  readonly SwizzleVecI8x16: number;
  readonly RelaxedSwizzleVecI8x16: number;
  readonly ConstId: number;
  readonly v128: number;
  readonly Features: { readonly All: number };
  readonly Function: { getBody(target: number): Expression };
  readonly Binary: {
    getRight(binary: Expression): Expression;
    setRight(binary: Expression, right: Expression): void;
  };
  getExpressionInfo(expression: Expression): ExpressionInfo;
  /** Gives the index of the local. */
  _BinaryenFunctionAddVar(target: number, type: number): number;
  readBinary(wasm: Uint8Array): {
    readonly local: { tee(index: number, value: Expression, type: number): Expression };
    getNumFunctions(): number;
    getFunctionByIndex(index: number): number;
    setFeatures(features: number): void;
    validate(): number;
    emitBinary(): Uint8Array;
  };
}
