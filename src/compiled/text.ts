/** JSON texts of objects and lists, of which parts may come later. */

/** A text, now or later. */
export type Text = string | Promise<string>;

/** @returns whether a value comes later, as graphql-js decides it. */
export function isPromise(value: unknown): value is Promise<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Parts of a text, from the first one on that comes later. */
class Parts {
  #text = '';
  readonly #before: string[] = [];
  readonly #promises: Promise<string>[] = [];

  add(before: string, part: Text): void {
    this.#text += before;
    if (typeof part === 'string') {
      this.#text += part;
      return;
    }
    this.#before.push(this.#text);
    this.#promises.push(part);
    this.#text = '';
  }

  end(last: string): Promise<string> {
    const rest = this.#text + last;
    return Promise.all(this.#promises).then((found) => {
      let text = '';
      for (let i = 0; i < found.length; i++) text += (this.#before[i] as string) + found[i];
      return text + rest;
    });
  }

  /**
   * Throws the error after the parts have arrived, as graphql-js does for fields of an object: the parts may have
   * errors, too.
   */
  fail(error: unknown): Promise<never> {
    const raise = () => {
      throw error;
    };
    return Promise.all(this.#promises).then(raise, raise);
  }

  /** Discards the parts: the result is not needed any more. */
  drop(): void {
    for (const promise of this.#promises) promise.catch(() => {});
  }
}

/** Writes the value of one field of this object. */
type WriteField<Args extends unknown[]> = (source: unknown, ...args: Args) => Text;

/** @returns a function that writes objects of these fields, in this order. */
export function objectWriter<First, Second>(
  fields: readonly (readonly [key: string, write: WriteField<[First, Second]>])[],
): WriteField<[First, Second]> {
  const writes = fields.map(([, write]) => write);
  const before = fields.map(([key], index) => `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const last = fields.length === 0 ? '{}' : '}';
  const finish = (parts: Parts, from: number, source: unknown, first: First, second: Second) => {
    try {
      for (let i = from; i < writes.length; i++)
        parts.add(before[i] as string, (writes[i] as WriteField<[First, Second]>)(source, first, second));
    } catch (error) {
      return parts.fail(error);
    }
    return parts.end(last);
  };
  return (source, first, second) => {
    let text = '';
    for (let i = 0; i < writes.length; i++) {
      const part = (writes[i] as WriteField<[First, Second]>)(source, first, second);
      if (typeof part !== 'string') {
        const parts = new Parts();
        parts.add(text + before[i], part);
        return finish(parts, i + 1, source, first, second);
      }
      text += before[i] + part;
    }
    return text + last;
  };
}

/** @returns a list of all items, each written by the function. */
export function writeList(items: readonly unknown[], write: (item: unknown, index: number) => Text): Text {
  let text = '';
  for (let i = 0; i < items.length; i++) {
    const part = write(items[i], i);
    if (typeof part !== 'string') return restOfList(items, i, text, part, write);
    text += (i === 0 ? '[' : ',') + part;
  }
  return items.length === 0 ? '[]' : `${text}]`;
}

function restOfList(
  items: readonly unknown[],
  at: number,
  text: string,
  part: Promise<string>,
  write: (item: unknown, index: number) => Text,
): Promise<string> {
  const parts = new Parts();
  parts.add(at === 0 ? '[' : `${text},`, part);
  try {
    for (let i = at + 1; i < items.length; i++) parts.add(',', write(items[i], i));
  } catch (error) {
    parts.drop();
    throw error;
  }
  return parts.end(']');
}
