/**
 * Sends spans that have ended to a collector: OTLP over HTTP, as JSON (https://opentelemetry.io/docs/specs/otlp/). Work never
 * waits for it, and spans that the collector does not accept in time are dropped.
 */
import http from 'node:http';
import https from 'node:https';
import type { Attributes, Link } from '@opentelemetry/api';
import type { EndedSpan } from './own-provider.ts';

/** Target of spans. */
export interface Collector {
  /** The whole URL, with the path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Origin of the spans, such as `service.name`. */
  readonly resource: Attributes;
  readonly version: string;
}

/** Sends spans to a collector. */
export interface SpanSender {
  /** Accepts a span, or drops it if too many wait. Never throws. */
  readonly send: (span: EndedSpan) => void;
  /** Sends the waiting spans, for some seconds at most; accepts no more. */
  readonly end: () => Promise<void>;
}

/** Size of a body, which is sent when it is full. Unit: bytes. */
const BODY_BYTES = 262_144;
/** Maximum number of bodies that wait: 8 MB, about 20,000 spans. */
const BODIES_MAX = 32;
/** Maximum number of bytes of a character. */
const CHARACTER_BYTES = 3;
const EVERY_MS = 5_000;
const ANSWER_MS = 10_000;
const END_MS = 3_000;
/** `kind` of OTLP counts from 1, with 0 for unknown. */
const KIND_OFFSET = 1;
const FAILED = 2;
const SAMPLED = 1;
const TAIL = ']}]}]}';

/** An `ExportTraceServiceRequest` that is being written. */
interface Body {
  readonly bytes: Buffer;
  length: number;
  spans: number;
}

/**
 * Bodies that wait to be sent. A span is written into the last one as soon as it ends: spans that wait as objects are copied by
 * the garbage collector, and one text of all of them is as large as the body again.
 */
class Bodies {
  readonly #head: string;
  #waiting: Body[] = [];
  #spare: Buffer | undefined;

  constructor(head: string) {
    this.#head = head;
  }

  /** Number of bodies, of which all but the last are full. */
  get count(): number {
    return this.#waiting.length;
  }

  /** @returns false if there is no room for the span. */
  write(text: string): boolean {
    const most = text.length * CHARACTER_BYTES + TAIL.length + 1;
    let body = this.#waiting.at(-1);
    if (!body || body.length + most > BODY_BYTES) {
      if (this.count >= BODIES_MAX) return false;
      body = this.#begin();
      if (body.length + most > BODY_BYTES) return false;
      this.#waiting.push(body);
    }
    body.length += body.bytes.write(body.spans === 0 ? text : `,${text}`, body.length);
    body.spans += 1;
    return true;
  }

  /** Removes the oldest body. */
  removeOldest(): Body | undefined {
    return this.#waiting.shift();
  }

  /** Lets a body that was sent be written again. */
  reuse({ bytes }: Body): void {
    this.#spare = bytes;
  }

  #begin(): Body {
    const bytes = this.#spare ?? Buffer.allocUnsafeSlow(BODY_BYTES);
    this.#spare = undefined;
    return { bytes, length: bytes.write(this.#head), spans: 0 };
  }
}

/**
 * @param collector - receiver of the spans.
 * @param lost - called with number and reason each time spans could not be sent, or were dropped before.
 */
export function spanSender(collector: Collector, lost: (spans: number, reason: string) => void): SpanSender {
  const bodies = new Bodies(headOf(collector));
  let dropped = 0;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const sendAll = async (isWithLast: boolean): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // Spans that end meanwhile wait until their body is full: a call costs as much as a hundred spans.
    for (let due = isWithLast ? bodies.count : 0; due > 0 || bodies.count > 1; due -= 1) {
      const body = bodies.removeOldest() as Body;
      const reason = await post(collector, body).catch((error: Error) => reasonOf(error));
      if (reason !== undefined) lost(body.spans, reason);
      bodies.reuse(body);
    }
    if (dropped > 0) lost(dropped, 'too many waited');
    dropped = 0;
    if (bodies.count > 0) wait();
  };
  const wait = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void begin(true);
    }, EVERY_MS).unref();
  };
  const begin = (isWithLast: boolean): Promise<void> => {
    sending ??= sendAll(isWithLast).finally(() => {
      sending = undefined;
    });
    return sending;
  };
  return {
    send: (span) => {
      if (hasEnded || !bodies.write(spanText(span))) {
        dropped += 1;
        return;
      }
      if (bodies.count > 1) void begin(false);
      else wait();
    },
    end: async () => {
      hasEnded = true;
      let limit: NodeJS.Timeout | undefined;
      const timeUp = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, END_MS);
      });
      await Promise.race([begin(true).then(() => begin(true)), timeUp]);
      clearTimeout(limit);
      clearTimeout(timer);
    },
  };
}

/**
 * Sends a body by `node:http`: `fetch` passes it on in parts, for three times the cost.
 * @returns the reason why the collector refused them; undefined if it accepted them.
 */
function post(collector: Collector, { bytes, length: end }: Body): Promise<string | undefined> {
  const body = bytes.subarray(0, end + bytes.write(TAIL, end));
  const [request, agent] = collector.url.startsWith('https:') ? HTTPS : HTTP;
  const length = { 'content-type': 'application/json', 'content-length': body.length };
  const headers = { ...collector.headers, ...length };
  const signal = AbortSignal.timeout(ANSWER_MS);
  return new Promise((resolve, reject) => {
    const call = request(collector.url, { method: 'POST', headers, agent, signal });
    call.on('error', reject);
    call.on('response', (response) => {
      const status = response.statusCode ?? 0;
      response.on('error', reject);
      response.on('end', () => resolve(status >= 200 && status < 300 ? undefined : `HTTP ${status}`));
      response.resume();
    });
    call.end(body);
  });
}

/** Connections are closed before a collector usually closes them, which would lose the spans of the next call. */
const REUSED = { keepAlive: true, timeout: 4_000 };
const HTTP = [http.request, new http.Agent(REUSED)] as const;
const HTTPS = [https.request, new https.Agent(REUSED)] as const;

function reasonOf({ code, cause }: NodeJS.ErrnoException): string {
  if ((cause as Error | undefined)?.name === 'TimeoutError') return `no answer in ${ANSWER_MS / 1_000} s`;
  return code ?? 'not reachable';
}

/** @returns the beginning of a body, up to its first span. */
function headOf({ resource, version }: Collector): string {
  const scope = `{"name":"crossramp","version":${JSON.stringify(version)}}`;
  const of = `{"attributes":${attributesText(resource)}}`;
  return `{"resourceSpans":[{"resource":${of},"scopeSpans":[{"scope":${scope},"spans":[`;
}

/** A span is written as text: objects for `JSON.stringify` took three quarters of its cost. @returns its JSON. */
export function spanText(span: EndedSpan): string {
  const { context, parentSpanId, startMs, endMs, attributes, links } = span;
  const parent = parentSpanId === undefined ? '' : `","parentSpanId":"${parentSpanId}`;
  const end = nanoseconds(Math.max(startMs, endMs));
  const others = links.length === 0 ? '' : `,"links":[${links.map(linkText).join(',')}]`;
  const status = span.isFailed ? `,"status":{"code":${FAILED}}` : '';
  return `{"traceId":"${context.traceId}","spanId":"${context.spanId}${parent}","flags":${SAMPLED},"name":${quoted(span.name)},"kind":${span.kind + KIND_OFFSET},"startTimeUnixNano":"${nanoseconds(startMs)}","endTimeUnixNano":"${end}","attributes":${attributesText(attributes)}${others}${status}}`;
}

function linkText({ context: { traceId, spanId } }: Link): string {
  return `{"traceId":"${traceId}","spanId":"${spanId}"}`;
}

function attributesText(attributes: Attributes): string {
  let text = '';
  for (const key in attributes) {
    const value = valueText(attributes[key]);
    text += `${text && ','}{"key":"${key}","value":{${value}}}`;
  }
  return `[${text}]`;
}

function valueText(value: unknown): string {
  if (typeof value === 'number')
    return Number.isInteger(value) ? `"intValue":${value}` : `"doubleValue":${value}`;
  if (typeof value === 'boolean') return `"boolValue":${value}`;
  return `"stringValue":${quoted(String(value))}`;
}

/** Characters that JSON writes as they are: nearly all names and ids have only these. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * A double represents the microseconds since 1970, but not the nanoseconds. Seconds and their fraction are written one after the
 * other: V8 writes small integers in a third of the time.
 */
function nanoseconds(ms: number): string {
  const micros = Math.floor(ms * 1_000);
  const seconds = Math.floor(micros / MICROS);
  // A leading 1 preserves the zeros.
  return `${seconds}${String(MICROS + micros - seconds * MICROS).slice(1)}000`;
}

const MICROS = 1_000_000;
