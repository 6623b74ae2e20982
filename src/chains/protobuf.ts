/** The part of Protocol Buffers that transactions of TRON need: integers and byte strings by field number. */

/** Value of a field: an integer of up to 63 bits, or bytes. */
export type ProtoValue = bigint | Uint8Array;
/** A field with its number. */
export type ProtoField = readonly [number: number, value: ProtoValue];

const INTEGER = 0;
const BYTES = 2;
const VARINT_BYTES_MAX = 10;

/** @returns the message without zeros and empty byte strings, as version 3 (proto3) prescribes. */
export function encodeMessage(fields: readonly ProtoField[]): Uint8Array {
  const parts = fields
    .filter(([, value]) => (typeof value === 'bigint' ? value !== 0n : value.length > 0))
    .map(([number, value]) => encodeField(number, value));
  return Uint8Array.from(Buffer.concat(parts));
}

/** @returns the fields in their order. @throws {RangeError} for other wire types, and for truncated bytes. */
export function decodeMessage(bytes: Uint8Array): readonly ProtoField[] {
  const fields: ProtoField[] = [];
  let at = 0;
  const next = () => {
    const read = readVarint(bytes, at);
    at = read.end;
    return read.value;
  };
  while (at < bytes.length) {
    const tag = Number(next());
    if ((tag & 7) === INTEGER) fields.push([tag >>> 3, next()]);
    else if ((tag & 7) === BYTES) {
      const end = Number(next()) + at;
      if (end > bytes.length) throw new RangeError('the message ends within a field');
      fields.push([tag >>> 3, bytes.subarray(at, end)]);
      at = end;
    } else throw new RangeError('expected integers and byte strings only');
  }
  return fields;
}

function encodeField(number: number, value: ProtoValue): Uint8Array {
  if (typeof value === 'bigint')
    return Buffer.concat([varint(BigInt((number << 3) | INTEGER)), varint(value)]);
  return Buffer.concat([varint(BigInt((number << 3) | BYTES)), varint(BigInt(value.length)), value]);
}

function varint(value: bigint): Uint8Array {
  if (value < 0n || value >= 2n ** 63n) throw new RangeError('expected an integer from 0 to 2^63 - 1');
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.from([...bytes, Number(rest)]);
}

function readVarint(bytes: Uint8Array, from: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let i = 0; i < VARINT_BYTES_MAX; i += 1) {
    const byte = bytes[from + i];
    if (byte === undefined) throw new RangeError('the message ends within an integer');
    value |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) return { value, end: from + i + 1 };
  }
  throw new RangeError('expected an integer of at most 64 bits');
}
