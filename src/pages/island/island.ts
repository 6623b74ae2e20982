/**
 * Enhancements with script: copy, share, print, count down, follow the payment, return to the merchant. One file
 * without imports, which also runs in browsers inside of other apps, so it uses only features of 2020.
 */

/** Wait for the stream before polling begins, and the polling interval. */
const STREAM_WAIT_MS = 10_000;
const POLL_MS = 5_000;
/** A request without an answer by then gets none: its connection is dead. */
const LOAD_MS = 10_000;
const LEAVE_SECONDS = 5;
/** Times before the end at which the remaining time is announced. Unit: minutes. */
const ANNOUNCED_MINUTES = [5, 1];

const token = location.pathname.split('/')[2] || '';
const net = byId('net');

function byId(id: string): HTMLElement | null {
  return document.getElementById(id);
}

function main(): HTMLElement {
  return byId('co') as HTMLElement;
}

function announce(text: string): void {
  const element = byId('say');
  if (element) element.textContent = text;
}

/** Shows parts that need the script, and makes them work; repeated after every change of the page. */
function enliven(): void {
  main()
    .querySelectorAll<HTMLButtonElement>('[data-copy]')
    .forEach((button) => {
      button.hidden = false;
      button.onclick = () => copy(button);
    });
  if ('share' in navigator) {
    main()
      .querySelectorAll<HTMLButtonElement>('[data-share]')
      .forEach((button) => {
        button.hidden = false;
        // A reader who cancels causes no error.
        button.onclick = () => {
          const id = button.dataset.share;
          const what = id ? { text: textOf(id) } : { title: document.title, url: location.href };
          navigator.share(what).catch(() => {});
        };
      });
  }
  main()
    .querySelectorAll<HTMLButtonElement>('[data-print]')
    .forEach((button) => {
      button.hidden = false;
      button.onclick = () => print();
    });
  countDown();
}

function textOf(id: string): string {
  const element = byId(id) as HTMLElement;
  return element.dataset.text || element.textContent || '';
}

/** Frames and the browsers of other apps may refuse the clipboard; then the text is selected. */
function copy(button: HTMLButtonElement): void {
  const id = button.dataset.copy || '';
  const show = (text: string | undefined) => {
    (button.querySelector('span') as HTMLElement).textContent = text || '';
    announce(text || '');
  };
  const onInput = () => {
    (getSelection() as Selection).selectAllChildren(byId(id) as HTMLElement);
    show(document.execCommand('copy') ? button.dataset.done : button.dataset.byHand);
  };
  if (navigator.clipboard)
    navigator.clipboard.writeText(textOf(id)).then(() => show(button.dataset.done), onInput);
  else onInput();
}

let counting: number | undefined;

/** The countdown uses the clock of the server, because that of the device may be wrong. */
function countDown(): void {
  clearInterval(counting);
  const element = main().querySelector<HTMLElement>('[data-left]');
  const bar = main().querySelector('progress');
  const end = Number(main().dataset.end);
  if (!element || !end) return;
  const skew = Number(main().dataset.now) - Date.now();
  let announced = Number.POSITIVE_INFINITY;
  const show = () => {
    const seconds = Math.max(0, Math.ceil((end - Date.now() - skew) / 1000));
    const minutes = Math.ceil(seconds / 60);
    (element.querySelector('b') as HTMLElement).textContent = clockOf(seconds);
    if (bar) bar.value = seconds * 1000;
    if (minutes < announced && (seconds === 0 || ANNOUNCED_MINUTES.includes(minutes))) {
      announced = minutes;
      const { over, minute, minutes: several } = element.dataset;
      announce(
        (seconds === 0 ? over : minutes === 1 ? minute : (several || '').replace('#', String(minutes))) || '',
      );
    }
    if (seconds === 0) clearInterval(counting);
  };
  element.hidden = false;
  if (bar) bar.hidden = false;
  show();
  counting = setInterval(show, 1000);
}

function clockOf(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

let loading: Promise<void> | undefined;
/** The newest announced change. */
let reportedAt = 0;

/** Replaces the content with the server's current one: only the server renders. */
function refresh(): Promise<void> {
  loading =
    loading ||
    load()
      .finally(() => (loading = undefined))
      // A response that is already on its way may lack changes that were announced after it was made.
      .then(() => (shown() < reportedAt ? refresh() : undefined));
  return loading;
}

function shown(): number {
  return Number(main().dataset.sequence);
}

async function load(): Promise<void> {
  const text = await fetchState();
  const page = new DOMParser().parseFromString(text, 'text/html');
  const next = page.getElementById('co');
  if (!next || next.dataset.sequence === main().dataset.sequence) return;
  const hadFocus = main().contains(document.activeElement);
  document.title = page.title;
  main().replaceWith(next);
  for (const id of ['sum', 'box', 'way']) {
    const [old, now] = [byId(id), page.getElementById(id)];
    if (old && now) old.replaceWith(now);
  }
  enliven();
  const title = main().querySelector('h1') as HTMLElement;
  if (hadFocus) title.focus();
  announce(title.textContent || '');
  // A receipt that is opened later stays open: only a payment that ended on this page leads back to the merchant, once,
  // if no further step follows.
  clearInterval(leaving);
  if (isDone() && !wasDone) leave();
  wasDone = wasDone || isDone();
  if (!isLive()) follow();
}

async function fetchState(): Promise<string> {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), LOAD_MS);
  try {
    const answer = await fetch(location.pathname + location.search, {
      headers: { accept: 'text/html' },
      signal: control.signal,
    });
    if (!answer.ok) throw new Error(String(answer.status));
    return await answer.text();
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the payment succeeded, so that the reader can return to the merchant. */
function isDone(): boolean {
  return main().dataset.leave !== undefined;
}

/** Whether further steps can follow. */
function isLive(): boolean {
  return main().dataset.live !== undefined;
}

let wasDone = isDone();
let leaving: number | undefined;

/** Returns to the merchant, unless the reader wants to stay. */
function leave(): void {
  const link = main().querySelector('[data-return]') as HTMLAnchorElement;
  const note = document.createElement('p');
  const stay = document.createElement('button');
  let seconds = LEAVE_SECONDS;
  const show = () => (note.textContent = (link.dataset.going || '').replace('#', String(seconds)));
  leaving = setInterval(() => {
    seconds -= 1;
    show();
    if (seconds > 0) return;
    clearInterval(leaving);
    location.assign(link.href);
  }, 1000);
  stay.textContent = link.dataset.stay || '';
  stay.onclick = () => {
    clearInterval(leaving);
    note.remove();
    stay.remove();
  };
  show();
  (link.parentElement as HTMLElement).append(note, stay);
}

let source: EventSource | undefined;
let polling: number | undefined;
let doubt: number | undefined;
/** Whether the stream delivers events. */
let isStreaming = false;

/** Follows the payment: by the stream, and by polling while there is none. */
function follow(): void {
  if (source) source.close();
  clearTimeout(doubt);
  isStreaming = false;
  if (!isLive()) {
    stopPolling();
    return;
  }
  if (main().dataset.live === 'poll') {
    poll();
    return;
  }
  const query = 'subscription{paymentSession{sequence}}';
  source = new EventSource(`/graphql?access_token=${token}&query=${encodeURIComponent(query)}`);
  source.addEventListener('next', (event) => {
    isStreaming = true;
    stopPolling();
    clearTimeout(doubt);
    connected(true);
    const { data } = JSON.parse((event as MessageEvent<string>).data);
    if (data) reportedAt = data.paymentSession.sequence;
    if (!data || reportedAt !== shown()) refresh().catch(poll);
  });
  source.onerror = () => {
    isStreaming = false;
    poll();
    // A stream that the browser closed permanently is opened again here; after other errors the browser reopens it itself.
    if (source && source.readyState === EventSource.CLOSED) later();
  };
  // A proxy that buffers the stream delivers no events.
  doubt = setTimeout(poll, STREAM_WAIT_MS);
}

function later(): void {
  clearTimeout(doubt);
  doubt = setTimeout(follow, POLL_MS * (0.5 + Math.random() / 2));
}

function poll(): void {
  if (polling !== undefined) return;
  polling = setInterval(pollNow, POLL_MS);
  pollNow();
}

function pollNow(): void {
  refresh().then(
    () => {
      connected(true);
      if (isStreaming || !isLive()) stopPolling();
    },
    () => connected(false),
  );
}

function stopPolling(): void {
  clearInterval(polling);
  polling = undefined;
}

function connected(isConnected: boolean): void {
  if (net) net.hidden = isConnected;
}

function pollAgain(): void {
  if (document.visibilityState !== 'visible') return;
  pollNow();
  if (!source || source.readyState === EventSource.CLOSED) follow();
}

if (main().dataset.sequence !== undefined) {
  // A rejected form has left its own address in the browser, which cannot be requested by GET.
  history.replaceState(null, '', `/pay/${token}${location.search}`);
  enliven();
  follow();
  addEventListener('online', () => {
    // The existing connections may be dead without a notice.
    follow();
    pollAgain();
  });
  addEventListener('offline', () => connected(false));
  document.addEventListener('visibilitychange', pollAgain);
}
