/**
 * Reads the XML of published sanctions lists: elements and text, without attributes. Only the five predefined and
 * numeric entities are decoded. A document type is refused, so that no other entity can be expanded; so is a document
 * that ends before its root does.
 */

/** An element with its text and child elements. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Trimmed text of the element itself. */
  readonly text: string;
}

/** XML that is malformed, or uses unsupported features. */
export class XmlRefused extends Error {
  override readonly name = 'XmlRefused';
}

interface Open {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

const DEPTH_MAX = 50;
const NAME = /^[A-Za-z_][\w.:-]*/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** @returns the root. @throws {XmlRefused} */
export function readXml(source: string): XmlElement {
  const root: Open = { name: '', children: [], text: '' };
  const open: Open[] = [root];
  let at = 0;
  while (at < source.length) {
    const next = source.indexOf('<', at);
    const inside = open.at(-1) as Open;
    inside.text += unescaped(source.slice(at, next === -1 ? source.length : next));
    if (next === -1) break;
    at = readMarkup(source, next, open);
  }
  if (open.length > 1) throw new XmlRefused(`it ends inside of <${open.at(-1)?.name}>`);
  const [element, ...others] = root.children;
  if (!element || others.length > 0 || root.text.trim() !== '') throw new XmlRefused('it has no single root');
  return element;
}

/** @returns the position after the markup that begins at `at`. */
function readMarkup(source: string, at: number, open: Open[]): number {
  if (source.startsWith('<?', at)) return after(source, '?>', at);
  if (source.startsWith('<!--', at)) return after(source, '-->', at);
  if (source.startsWith('<![CDATA[', at)) {
    const end = after(source, ']]>', at);
    (open.at(-1) as Open).text += source.slice(at + '<![CDATA['.length, end - ']]>'.length);
    return end;
  }
  if (source.startsWith('<!', at)) throw new XmlRefused('it has a document type');
  const end = endOfTag(source, at);
  const tag = source.slice(at + 1, end);
  if (tag.startsWith('/')) close(open, tag.slice(1).trim());
  else begin(open, tag);
  return end + 1;
}

function begin(open: Open[], tag: string): void {
  const name = NAME.exec(tag)?.[0];
  if (name === undefined) throw new XmlRefused('it has a tag without a name');
  if (open.length > DEPTH_MAX) throw new XmlRefused(`it is deeper than ${DEPTH_MAX}`);
  open.push({ name, children: [], text: '' });
  if (tag.endsWith('/')) close(open, name);
}

function close(open: Open[], name: string): void {
  const ended = open.length > 1 ? open.pop() : undefined;
  if (ended?.name !== name) throw new XmlRefused(`</${name}> closes an element that was not opened`);
  open.at(-1)?.children.push({ ...ended, text: ended.text.trim() });
}

/** A `>` within an attribute value does not end the tag. */
function endOfTag(source: string, at: number): number {
  let quote = '';
  for (let i = at + 1; i < source.length; i++) {
    const char = source.charAt(i);
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return i;
  }
  throw new XmlRefused('it ends inside of a tag');
}

function after(source: string, end: string, at: number): number {
  const found = source.indexOf(end, at);
  if (found === -1) throw new XmlRefused(`it ends before ${end}`);
  return found + end.length;
}

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w+);/g, (_whole, name: string) => {
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    if (name.startsWith('#') && code <= 0x10ffff) return String.fromCodePoint(code);
    const known = ENTITIES[name];
    if (known === undefined) throw new XmlRefused(`it has the entity &${name};`);
    return known;
  });
}
