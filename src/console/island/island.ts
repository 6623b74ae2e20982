/**
 * Enhancements of the console with script: copy, prices, rows, keys. The files of this folder are served as one script
 * (`assets.ts`).
 */
import { follow, followRuns, MINUTE_MS, showAges } from './live.ts';
import { openKeys, openPalette } from './over.ts';
import { announce, byId, enliven, pageData, places, ROOT, words } from './page-data.ts';

// Functions that only the script has.

function copy(button: HTMLElement): void {
  const text = byId(button.dataset.copy || '')?.textContent || '';
  navigator.clipboard?.writeText(text).then(
    () => announce(words.copied || ''),
    () => getSelection()?.selectAllChildren(byId(button.dataset.copy || '') as Node),
  );
}

document.addEventListener('click', (event) => {
  const target = event.target as HTMLElement;
  const button = target.closest<HTMLElement>('[data-copy]');
  if (button) copy(button);
  if (target.closest('[data-print]')) void printWhole();
  if (target.closest('[data-palette]') && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    openPalette();
  }
});

/** Maximum number of printed pages of a list. */
const PAPER_PAGES = 40;

/** Prints a whole list instead of the shown page; the print says so if the list is too long. */
async function printWhole(): Promise<void> {
  const body = document.querySelector('[data-whole] tbody');
  const first = new URL(location.href);
  ['after', 'before', 'at', 'page'].forEach((name) => {
    first.searchParams.delete(name);
  });
  const all: Element[] = [];
  let next: string | undefined = body ? first.href : undefined;
  for (let pages = 0; next && pages < PAPER_PAGES; pages++) {
    const answer = await fetch(next).catch(() => null);
    if (!answer?.ok) break;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    all.push(...page.querySelectorAll('[data-whole] tbody tr'));
    next = page.querySelector<HTMLAnchorElement>('main a[rel="next"]')?.href;
  }
  if (all.length > 0) body?.replaceChildren(...all);
  const cut = document.querySelector<HTMLElement>('[data-cut]');
  if (cut) cut.hidden = next === undefined;
  print();
}

/** The script blocks a second click on a form's button; without script its key prevents a second action. */
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (form.method !== 'post') return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = 'yes';
});
addEventListener('pageshow', () => {
  document.querySelectorAll('form[data-sent]').forEach((form) => {
    form.removeAttribute('data-sent');
  });
});

// Shows the price of an order while it is entered.

/** Pause in typing before a price is requested. Unit: ms. */
const PAUSE_MS = 400;
let pricing: number | undefined;

document.addEventListener('input', (event) => {
  const form = (event.target as HTMLElement).closest('form');
  if (!form?.querySelector('[name="ask"][value="price"]')) return;
  window.clearTimeout(pricing);
  pricing = window.setTimeout(() => void showPrice(form), PAUSE_MS);
});

async function showPrice(form: HTMLFormElement): Promise<void> {
  const requested = pricing;
  const body = new FormData(form);
  body.set('ask', 'price');
  const sent = new URLSearchParams(body as unknown as Record<string, string>);
  const answer = form.checkValidity()
    ? await fetch(form.action, { method: 'POST', body: sent }).catch(() => null)
    : null;
  const page = new DOMParser().parseFromString(answer ? await answer.text() : '', 'text/html');
  // Later input makes another request.
  if (requested === pricing)
    byId('price')?.replaceChildren(...(page.getElementById('price')?.childNodes ?? []));
}

// Previews the payers' pages while their look is edited.

document.addEventListener('input', (event) => {
  const input = event.target as HTMLInputElement;
  const shown = document.querySelectorAll<SVGElement>(`[data-preview="${CSS.escape(input.name ?? '')}"]`);
  for (const part of shown) {
    if (input.type === 'file') showImage(part, input.files?.[0]);
    else if (input.name !== 'accent') part.textContent = input.value;
    else if (/^#[0-9a-f]{6}$/i.test(input.value)) part.setAttribute('fill', input.value);
  }
});

/** The policy of the page allows images of its origin and data URLs. */
function showImage(part: SVGElement, file: File | undefined): void {
  const reader = new FileReader();
  reader.onload = () => part.setAttribute('href', String(reader.result));
  if (file) reader.readAsDataURL(file);
}

// Rows.

function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('tbody tr')].filter((row) =>
    row.querySelector('a[href]'),
  );
}

function selected(): HTMLElement | null {
  return document.querySelector('tbody [aria-selected="true"]');
}

function move(by: number): void {
  const all = rows();
  const before = selected();
  const at = before ? all.indexOf(before) + by : by > 0 ? 0 : all.length - 1;
  const next = all[Math.max(0, Math.min(all.length - 1, at))];
  if (!next) return;
  before?.removeAttribute('aria-selected');
  next.setAttribute('aria-selected', 'true');
  next.scrollIntoView({ block: 'nearest' });
  next.querySelector<HTMLElement>('a[href]')?.focus({ preventScroll: true });
}

// Keys.

let isGoing = false;

document.addEventListener('keydown', (event) => {
  const { key } = event;
  if ((event.metaKey || event.ctrlKey) && key === 'k') {
    event.preventDefault();
    openPalette();
    return;
  }
  const target = event.target as HTMLElement;
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (target.closest('input, select, textarea, dialog, [contenteditable]')) return;
  if (isGoing) {
    isGoing = false;
    const target = places.find(([, , its]) => its === key);
    if (target) location.assign(target[0]);
    return;
  }
  const handlers: Record<string, () => void> = {
    j: () => move(1),
    k: () => move(-1),
    o: () => selected()?.querySelector<HTMLElement>('a[href]')?.click(),
    g: () => {
      isGoing = true;
    },
    f: () => document.querySelector<HTMLElement>('[data-key="f"]')?.click(),
    n: () => pageData.mayCreate && location.assign(`${ROOT}/new`),
    '/': openPalette,
    '?': openKeys,
  };
  const handler = handlers[key];
  if (!handler) return;
  event.preventDefault();
  handler();
});

// The answer to a form has the form's address, so loading it again would send the form again without anyone asking for
// it.
if (location.pathname.startsWith(`${ROOT}/acts/`) && pageData.here)
  history.replaceState(null, '', pageData.here);
enliven(document);
showAges(document);
window.setInterval(() => showAges(document), MINUTE_MS);
followRuns();
if (document.querySelector('[data-live]') && pageData.csrf) void follow();
