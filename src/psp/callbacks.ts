/**
 * Callbacks: stored together with their cause, and sent with the PSP's certificate at growing intervals until the
 * receiver answers with 2xx.
 */
import { type RequestOptions, request as requestPlain } from 'node:http';
import { Agent, request } from 'node:https';
import { rootCertificates } from 'node:tls';
import { type Certificates, issue } from './ca.ts';
import type { PspClock } from './clock.ts';
import type { Faults } from './faults.ts';
import { forge } from './forgeries.ts';
import type { PspStore } from './store.ts';

/** Time limit of a call. Unit: ms. */
const LIMIT_MS = 10_000;
/** Pauses between attempts, which double from the first to the last. Unit: ms of the PSP's clock. */
const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 300_000;
/** Maximum number of attempts; afterwards only a query reports the event. */
const ATTEMPTS_MAX = 15;
/** Maximum number of parallel calls. */
const PARALLEL_MAX = 8;
/** Polling interval while a callback's answer is awaited. Unit: ms. */
const POLL_MS = 5;

/** A due callback. */
interface Due {
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
}

/** The callbacks of the PSP. */
export class Callbacks {
  readonly #store: PspStore;
  readonly #clock: PspClock;
  readonly #faults: Faults;
  readonly #agent: Agent;
  readonly #stranger: Agent;
  /** Sends with a certificate of another client of the same authority. */
  readonly #foreign: Agent;
  /** Running calls, by callback id. */
  readonly #running = new Map<number, Promise<void>>();
  #isClosed = false;

  constructor(store: PspStore, clock: PspClock, faults: Faults, { ca, psp }: Certificates) {
    this.#store = store;
    this.#clock = clock;
    this.#faults = faults;
    const trusted = [ca.certificate, ...rootCertificates];
    this.#agent = new Agent({ ca: trusted, cert: psp.certificate, key: psp.key, keepAlive: true });
    this.#stranger = new Agent({ ca: trusted });
    const other = issue(ca, { name: 'Another client' });
    this.#foreign = new Agent({ ca: trusted, cert: other.certificate, key: other.key });
  }

  /**
   * Stores a callback to be sent, in the database transaction of its cause.
   * @returns its ids: none if the callback gets lost, several if it is doubled.
   */
  add(url: string, body: unknown): readonly number[] {
    const now = this.#clock.now();
    const fault = this.#faults.next('callback');
    const add = (dueMs: number | null, answer: string | null) =>
      this.#store.run(
        'insert into callback (url, body, due_ms, answer) values (?, ?, ?, ?)',
        url,
        JSON.stringify(body),
        dueMs,
        answer,
      ).id;
    switch (fault?.fault) {
      case 'lost':
        add(null, 'lost');
        return [];
      case 'doubled':
        return [add(now, null), add(now, null)];
      case 'stranger':
        this.#sendAs(this.#stranger, url, body);
        return [add(now, null)];
      case 'foreign':
        this.#sendAs(this.#foreign, url, forge(body, 'forged'));
        return [add(now, null)];
      case 'forged':
      case 'altered':
      case 'misaddressed':
        this.#store.run(
          'insert into callback (url, body, due_ms) values (?, ?, ?)',
          url,
          JSON.stringify(forge(body, fault.fault)),
          now,
        );
        return [add(now, null)];
      case 'late':
        return [add(now + fault.ms, null)];
      case 'reordered':
        return [add(now + Math.floor(this.#faults.roll() * fault.ms), null)];
      default:
        return [add(now, null)];
    }
  }

  /** Starts sending due callbacks, and returns before they are answered. */
  sendDue(): void {
    const room = PARALLEL_MAX - this.#running.size;
    if (room <= 0) return;
    const due = this.#store.all<Due>(
      'select id, url, body, attempts from callback where due_ms <= ? order by due_ms, id limit ?',
      this.#clock.now(),
      PARALLEL_MAX * 2,
    );
    for (const each of due.filter(({ id }) => !this.#running.has(id)).slice(0, room))
      this.#running.set(each.id, this.#send(each));
  }

  /** @returns due time of the next callback that is not running; undefined if there is none. */
  nextDueMs(): number | undefined {
    const rows = this.#store.all<{ id: number; dueMs: number }>(
      'select id, due_ms as "dueMs" from callback where due_ms is not null order by due_ms limit ?',
      PARALLEL_MAX + 1,
    );
    return rows.find(({ id }) => !this.#running.has(id))?.dueMs;
  }

  /** Waits until these callbacks were attempted, up to a time limit. @returns whether all were answered with 2xx. */
  async answered(ids: readonly number[], limitMs = LIMIT_MS): Promise<boolean> {
    const until = Date.now() + limitMs;
    const isOpen = (id: number) =>
      this.#store.one<{ isOpen: number }>(
        'select due_ms is not null and attempts = 0 as "isOpen" from callback where id = ?',
        id,
      )?.isOpen === 1;
    while (ids.some(isOpen) && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return ids.every(
      (id) =>
        this.#store.one<{ dueMs: number | null }>('select due_ms as "dueMs" from callback where id = ?', id)
          ?.dueMs === null,
    );
  }

  /**
   * Tests a URL before its registration by calling it without a certificate and with one.
   * @returns the problem; undefined if the URL refuses the first call and accepts the second.
   */
  async problemOf(url: string): Promise<string | undefined> {
    const body = JSON.stringify({ pix: [] });
    const stranger = await this.#post(`${url}/pix`, body, this.#stranger).catch(() => 'refused');
    if (typeof stranger === 'number' && stranger !== 401 && stranger !== 403)
      return 'A autenticação de TLS mútuo não está configurada na URL informada.';
    const known = await this.#post(`${url}/pix`, body, this.#agent).catch((error: Error) => error.message);
    if (typeof known === 'string') return `A URL informada está inacessível: ${known}`;
    const isRefused = known === 401 || known === 403 || known >= 500;
    return isRefused ? `A URL informada respondeu com o código HTTP ${known}.` : undefined;
  }

  /** Aborts running calls; the next process that opens the file sends them again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#agent.destroy();
    this.#stranger.destroy();
    this.#foreign.destroy();
    await Promise.all(this.#running.values());
  }

  async #send({ id, url, body, attempts }: Due): Promise<void> {
    const answer = await this.#post(url, body, this.#agent).catch((error: Error) => error.message);
    const isAccepted = typeof answer === 'number' && answer >= 200 && answer < 300;
    const isOver = isAccepted || attempts + 1 >= ATTEMPTS_MAX;
    const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** attempts, PAUSE_MAX_MS);
    this.#store.run(
      'update callback set due_ms = ?, attempts = attempts + 1, answer = ? where id = ?',
      isOver ? null : this.#clock.now() + pauseMs,
      String(answer),
      id,
    );
    this.#running.delete(id);
    if (!this.#isClosed) this.sendDue();
  }

  /**
   * Sends a callback as another caller, and stores the response, as for a finished callback. A receiver that accepts
   * this call would accept any sender.
   */
  #sendAs(agent: Agent, url: string, body: unknown): void {
    const text = JSON.stringify(body);
    const sent = this.#post(url, text, agent).catch((error: Error) => error.message);
    void sent.then((answer) => {
      if (this.#isClosed) return;
      this.#store.run(
        'insert into callback (url, body, answer) values (?, ?, ?)',
        url,
        text,
        `stranger: ${answer}`,
      );
    });
  }

  /** @returns the status. @throws the error that prevented an answer. */
  #post(url: string, body: string, agent: Agent): Promise<number> {
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        timeout: LIMIT_MS,
      };
      const isPlain = url.startsWith('http://');
      const call = isPlain ? requestPlain(url, options) : request(url, { ...options, agent });
      call
        .on('response', (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
        .on('timeout', () => call.destroy(new Error(`no answer in ${LIMIT_MS} ms`)))
        .on('error', reject)
        .end(body);
    });
  }
}
