// Writes ONNX models: the few messages of its protobuf schema that a small network needs.

/** A tensor of a model, with its values row by row. */
export interface OnnxConstant {
  readonly name: string;
  readonly type: 'float' | 'int64';
  readonly shape: readonly number[];
  readonly values: ArrayLike<number>;
}

/** The kinds of attribute that operators have; a whole number and a float are different kinds. */
export type OnnxAttribute =
  | { readonly int: number }
  | { readonly ints: readonly number[] }
  | { readonly float: number }
  | { readonly text: string };

export interface OnnxNode {
  /** As in the operator list of ONNX, for example `Conv`. */
  readonly operator: string;
  /** Names of what it takes: inputs of the graph, constants, outputs of nodes before it. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
}

/** A float tensor that goes in or comes out; a text stands for a size that may be any. */
export interface OnnxValue {
  readonly name: string;
  readonly shape: readonly (number | string)[];
}

export interface OnnxGraph {
  readonly name: string;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** In an order in which they can be run. */
  readonly nodes: readonly OnnxNode[];
  readonly constants?: readonly OnnxConstant[];
  /** Kept in the model as they are, for example `names`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * The model as the bytes of a file (onnx.proto, IR version 8, operators of opset 17). The same
 * graph gives the same bytes. Throws a RangeError for a constant whose shape does not fit its
 * values.
 */
export function onnxModel(graph: OnnxGraph): Uint8Array {
  return message([
    whole(modelFields.irVersion, irVersion),
    text(modelFields.producerName, 'fovea'),
    nested(modelFields.graph, graphMessage(graph)),
    nested(modelFields.opsetImport, message([text(1, ''), whole(2, opsetVersion)])),
    ...Object.entries(graph.metadata ?? {}).map(([key, value]) =>
      nested(modelFields.metadataProps, message([text(1, key), text(2, value)])),
    ),
  ]);
}

const irVersion = 8;
const opsetVersion = 17;

/** Numbers of the fields in onnx.proto. */
const modelFields = {
  irVersion: 1,
  producerName: 2,
  graph: 7,
  opsetImport: 8,
  metadataProps: 14,
} as const;
const graphFields = { node: 1, name: 2, initializer: 5, input: 11, output: 12 } as const;
const nodeFields = { input: 1, output: 2, name: 3, operator: 4, attribute: 5 } as const;
const attributeFields = { name: 1, float: 2, int: 3, text: 4, ints: 8, type: 20 } as const;
const tensorFields = { dimensions: 1, dataType: 2, name: 8, rawData: 9 } as const;

/** TensorProto.DataType. */
const dataTypes = { float: 1, int64: 7 } as const;

/** AttributeProto.AttributeType. */
const attributeTypes = { float: 1, int: 2, text: 3, ints: 7 } as const;

function graphMessage({ name, inputs, outputs, nodes, constants = [] }: OnnxGraph): Uint8Array {
  return message([
    ...nodes.map((node, place) => nested(graphFields.node, nodeMessage(node, place))),
    text(graphFields.name, name),
    ...constants.map((constant) => nested(graphFields.initializer, tensorMessage(constant))),
    ...inputs.map((value) => nested(graphFields.input, valueMessage(value))),
    ...outputs.map((value) => nested(graphFields.output, valueMessage(value))),
  ]);
}

function nodeMessage(node: OnnxNode, place: number): Uint8Array {
  const { operator, inputs, outputs, attributes = {} } = node;
  return message([
    ...inputs.map((name) => text(nodeFields.input, name)),
    ...outputs.map((name) => text(nodeFields.output, name)),
    text(nodeFields.name, `${operator}_${place}`),
    text(nodeFields.operator, operator),
    ...Object.entries(attributes).map(([name, attribute]) =>
      nested(nodeFields.attribute, attributeMessage(name, attribute)),
    ),
  ]);
}

function attributeMessage(name: string, attribute: OnnxAttribute): Uint8Array {
  const { type } = attributeFields;
  const named = text(attributeFields.name, name);
  if ('int' in attribute) {
    return message([
      named,
      whole(attributeFields.int, attribute.int),
      whole(type, attributeTypes.int),
    ]);
  }
  if ('ints' in attribute) {
    const values = attribute.ints.map((value) => whole(attributeFields.ints, value));
    return message([named, ...values, whole(type, attributeTypes.ints)]);
  }
  if ('float' in attribute) {
    const value = floatBytes([attribute.float]);
    const field = message([tag(attributeFields.float, wire.four), value]);
    return message([named, field, whole(type, attributeTypes.float)]);
  }
  return message([
    named,
    text(attributeFields.text, attribute.text),
    whole(type, attributeTypes.text),
  ]);
}

function tensorMessage({ name, type, shape, values }: OnnxConstant): Uint8Array {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count !== values.length) {
    throw new RangeError(`"${name}" has ${values.length} values for [${shape.join(', ')}]`);
  }
  return message([
    ...shape.map((size) => whole(tensorFields.dimensions, size)),
    whole(tensorFields.dataType, dataTypes[type]),
    text(tensorFields.name, name),
    nested(tensorFields.rawData, type === 'float' ? floatBytes(values) : int64Bytes(values)),
  ]);
}

/** Raw data is little-endian on every machine. */
function floatBytes(values: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  Array.from(values, (value, index) => view.setFloat32(index * 4, value, true));
  return new Uint8Array(view.buffer);
}

function int64Bytes(values: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 8));
  Array.from(values, (value, index) => view.setBigInt64(index * 8, BigInt(value), true));
  return new Uint8Array(view.buffer);
}

function valueMessage({ name, shape }: OnnxValue): Uint8Array {
  const sizes = shape.map((size) =>
    nested(1, typeof size === 'number' ? whole(1, size) : text(2, size)),
  );
  const tensorType = message([whole(1, dataTypes.float), nested(2, message(sizes))]);
  return message([text(1, name), nested(2, nested(1, tensorType))]);
}

/** Wire types of protobuf: a whole number, something with its length before it, four bytes. */
const wire = { varint: 0, length: 2, four: 5 } as const;

function whole(field: number, value: number): Uint8Array {
  return message([tag(field, wire.varint), varint(BigInt(value))]);
}

function text(field: number, value: string): Uint8Array {
  return nested(field, new TextEncoder().encode(value));
}

function nested(field: number, content: Uint8Array): Uint8Array {
  return message([tag(field, wire.length), varint(BigInt(content.length)), content]);
}

function tag(field: number, wireType: number): Uint8Array {
  return varint(BigInt(field * 8 + wireType));
}

/** Seven bits a byte, the lowest first; a negative number as its 64 bits in two's complement. */
function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}

function message(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
