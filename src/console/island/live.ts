/**
 * Live updates. One stream for all tabs of a browser reports changes, and the page loads them as the server renders them.
 * Recent times are shown relative to now.
 */
import { announce, byId, enliven, type PageData, pageData, words } from './page-data.ts';

/** Minimum interval between two loads of the page, whatever the number of changes. */
const REFRESH_MS = 1_000;
const RETRY_MS = 3_000;
const MARKED_MS = 2_000;
const BUSY = [429, 503];

let refreshAt = 0;
let isRequesting = false;
let isStale = false;
let fresh = 0;

/** Only one request runs at a time; later changes are requested after it. */
function refreshSoon(pause = REFRESH_MS): void {
  isStale = true;
  if (isRequesting) return;
  isRequesting = true;
  const requestPage = async () => {
    isStale = false;
    const isBusy = await refresh();
    refreshAt = Date.now();
    isRequesting = false;
    if (isBusy || isStale) refreshSoon(isBusy ? RETRY_MS : REFRESH_MS);
  };
  window.setTimeout(() => void requestPage(), Math.max(50, refreshAt + pause - Date.now()));
}

/**
 * Updates the page from the server: rows in place, highlighted for a moment; new rows are announced, and nothing jumps.
 *
 * @returns whether the server asks the client to retry later.
 */
async function refresh(): Promise<boolean> {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (!answer?.ok) return answer !== null && BUSY.includes(answer.status);
  // The session has ended: the page asks the person to sign in, as after any request.
  if (answer.redirected && new URL(answer.url).pathname !== location.pathname) return leave();
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  showAges(document);
  showAges(page);
  enliven(page);
  // Another tab opened another account: its content must not appear under this account's name.
  const { account = pageData.account } = JSON.parse(page.body.dataset.told || '{}') as Partial<PageData>;
  if (account !== pageData.account) return leave();
  page.querySelectorAll<HTMLElement>('[data-live]').forEach((there) => {
    const here = document.querySelector<HTMLElement>(`[data-live="${there.dataset.live}"]`);
    if (!here || here.innerHTML === there.innerHTML) return;
    if (there.dataset.live === 'rows') replaceRows(here, there);
    // An element with the focus, or an open one, is left unchanged.
    else if (!here.contains(document.activeElement) && !here.querySelector('details[open]'))
      here.replaceChildren(...there.childNodes);
  });
  return false;
}

/** Interval of following a reconciliation that is made, of which no event tells. Unit: ms. */
const RUN_MS = 2_000;

/** Loads the page again and again while it shows a run, or waits for one that it began. */
export function followRuns(): void {
  window.setInterval(() => {
    if (document.querySelector('[data-run], [data-sent] .sending')) refreshSoon();
  }, RUN_MS);
}

function leave(): false {
  location.reload();
  return false;
}

function replaceRows(here: HTMLElement, there: HTMLElement): void {
  const known = new Map(
    [...here.querySelectorAll<HTMLElement>('[data-row]')].map((row) => [row.dataset.row, row]),
  );
  if (known.size === 0) {
    here.replaceChildren(...there.childNodes);
    return;
  }
  let unknown = 0;
  there.querySelectorAll<HTMLElement>('[data-row]').forEach((row) => {
    const old = known.get(row.dataset.row);
    if (!old) {
      unknown += 1;
      return;
    }
    if (old.innerHTML === row.innerHTML) return;
    old.replaceChildren(...row.childNodes);
    old.classList.add('changed');
    window.setTimeout(() => old.classList.remove('changed'), MARKED_MS);
  });
  const pill = document.querySelector<HTMLElement>('[data-fresh]');
  if (!pill || unknown <= fresh) return;
  fresh = unknown;
  const text = (words.newer || '').replace('#', String(unknown));
  (pill.querySelector('span') as HTMLElement).textContent = text;
  pill.hidden = false;
  announce(text);
}

const SUBSCRIPTION = 'subscription Live { events { __typename cursor } }';

/** Messages from the tab with the stream to all other tabs. */
type TabMessage = 'changed' | 'lost' | 'back';

function receive(message: TabMessage): void {
  const line = byId('line');
  if (line && message !== 'changed') {
    line.hidden = message === 'back';
    line.textContent = words.lost || '';
    announce((message === 'lost' ? words.lost : words.back) || '');
  }
  // The page contains all changes since then, and shows whether the session is still valid.
  refreshSoon();
}

/** Follows the account for all tabs of the browser: the tab that holds the lock has the one stream. */
export async function follow(): Promise<void> {
  const channel = new BroadcastChannel('console');
  channel.onmessage = ({ data }) => receive(data as TabMessage);
  const broadcast = (message: TabMessage) => {
    channel.postMessage(message);
    receive(message);
  };
  const lead = async () => {
    for (;;) {
      try {
        await listen(
          // Changes between the page and the start of the stream are requested, because no message reports them.
          () => (byId('line')?.hidden === false ? broadcast('back') : receive('changed')),
          () => broadcast('changed'),
        );
      } catch {
        broadcast('lost');
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    }
  };
  if (!navigator.locks) return lead();
  await navigator.locks.request('console-stream', { ifAvailable: true }, (lock) => lock && lead());
  // Another tab has the stream; changes that it reported before this one listened are requested.
  receive('changed');
  await navigator.locks.request('console-stream', lead);
}

function listen(opened: () => void, changed: () => void): Promise<void> {
  return new Promise((done, fail) => {
    const query = new URLSearchParams({ query: SUBSCRIPTION });
    const source = new EventSource(`/graphql?${query}`);
    const end = (how: () => void) => {
      source.close();
      how();
    };
    source.onopen = opened;
    source.addEventListener('next', (event) => {
      if (!/"Heartbeat"/.test((event as MessageEvent<string>).data)) changed();
    });
    source.addEventListener('complete', () => end(done));
    source.onerror = () => end(fail);
  });
}

/** Interval of updating relative times. */
export const MINUTE_MS = 60_000;
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', MINUTE_MS],
] as const;
/** Age from which a time is shown as a date. */
const NEAR_MS = 7 * 86_400_000;
const loadedAt = Date.now();
const agoFormat = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' });

/** Shows the age of times, by the clock of the account, with the whole time on hover. */
export function showAges(root: ParentNode): void {
  const now = Date.parse(pageData.now) + Date.now() - loadedAt;
  root.querySelectorAll<HTMLTimeElement>('time[data-ago]').forEach((each) => {
    each.title ||= each.textContent ?? '';
    const distance = Date.parse(each.dateTime) - now;
    const [unit, size] =
      UNITS.find(([, its]) => Math.abs(distance) >= its) ?? (['second', MINUTE_MS] as const);
    const isNear = Math.abs(distance) < NEAR_MS;
    each.textContent = isNear ? agoFormat.format(Math.trunc(distance / size), unit) : each.title;
  });
}
