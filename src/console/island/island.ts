/**
 * What the console does besides, where there is script: live rows, keys, the palette, copy. There is one renderer, and it is
 * the server: what changed is asked for again and taken over.
 */

interface Told {
  readonly words: Readonly<Record<string, string>>;
  readonly places: readonly (readonly [href: string, word: string, key: string])[];
  readonly mayCreate: boolean;
  readonly csrf: string;
  readonly account: string;
}

const told = JSON.parse(document.body.dataset.desk || '{}') as Told;
const { words, places } = told;
const ROOT = '/console';

function byId(id: string): HTMLElement | null {
  return document.getElementById(id);
}

function say(text: string): void {
  const place = byId('say');
  if (place) place.textContent = text;
}

function make(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// Shown and done with script alone.

/** Shows what only script can do. */
function enliven(): void {
  document.querySelectorAll<HTMLElement>('[data-script], [data-copy], [data-print]').forEach((each) => {
    each.hidden = false;
  });
}

function copy(button: HTMLElement): void {
  const text = byId(button.dataset.copy || '')?.textContent || '';
  navigator.clipboard?.writeText(text).then(
    () => say(words.copied || ''),
    () => getSelection()?.selectAllChildren(byId(button.dataset.copy || '') as Node),
  );
}

document.addEventListener('click', (event) => {
  const target = event.target as HTMLElement;
  const button = target.closest<HTMLElement>('[data-copy]');
  if (button) copy(button);
  if (target.closest('[data-print]')) print();
  if (target.closest('[data-palette]') && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    openPalette();
  }
});

/** A form that was sent is not sent again by a second click; its key makes sure where there is no script. */
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

// The price of an order, while it is written.

/** Nobody is asked before the one who writes has stopped for so long. */
const PAUSE_MS = 400;
let pricing: number | undefined;

document.addEventListener('input', (event) => {
  const form = (event.target as HTMLElement).closest('form');
  if (!form?.querySelector('[name="ask"]')) return;
  window.clearTimeout(pricing);
  pricing = window.setTimeout(() => void showPrice(form), PAUSE_MS);
});

async function showPrice(form: HTMLFormElement): Promise<void> {
  const asked = pricing;
  const body = new FormData(form);
  body.set('ask', 'price');
  const sent = new URLSearchParams(body as unknown as Record<string, string>);
  const answer = form.checkValidity()
    ? await fetch(form.action, { method: 'POST', body: sent }).catch(() => null)
    : null;
  const page = new DOMParser().parseFromString(answer ? await answer.text() : '', 'text/html');
  // What was written since is asked for by itself.
  if (asked === pricing) byId('price')?.replaceChildren(...(page.getElementById('price')?.childNodes ?? []));
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
    const place = places.find(([, , its]) => its === key);
    if (place) location.assign(place[0]);
    return;
  }
  const acts: Record<string, () => void> = {
    j: () => move(1),
    k: () => move(-1),
    o: () => selected()?.querySelector<HTMLElement>('a[href]')?.click(),
    g: () => {
      isGoing = true;
    },
    f: () => document.querySelector<HTMLElement>('[data-key="f"]')?.click(),
    n: () => told.mayCreate && location.assign(`${ROOT}/new`),
    '/': openPalette,
    '?': openKeys,
  };
  const act = acts[key];
  if (!act) return;
  event.preventDefault();
  act();
});

// Things over the page.

function dialog(label: string, className: string): HTMLDialogElement {
  byId('over')?.remove();
  const made = make('dialog', className) as HTMLDialogElement;
  made.id = 'over';
  made.setAttribute('aria-label', label);
  made.addEventListener('close', () => made.remove());
  made.addEventListener('click', (event) => event.target === made && made.close());
  document.body.append(made);
  return made;
}

function openKeys(): void {
  const over = dialog(words.keys || '', '');
  const list = make('dl', 'kv in');
  const line = (keys: string, what = '') => {
    const pair = make('div', '');
    const term = make('dt', '');
    keys.split(' ').forEach((each) => {
      term.append(make('kbd', '', each), ' ');
    });
    pair.append(term, make('dd', '', what));
    list.append(pair);
  };
  line('j k', words.move);
  line('o', words.open);
  line('/ ⌘K', words.palette);
  line('f', words.filter);
  if (told.mayCreate) line('n', words.newPayment);
  places.forEach(([, word, key]) => {
    line(`g ${key}`, word);
  });
  line('?', words.all);
  const button = make('button', 'btn full', words.close);
  button.onclick = () => over.close();
  over.append(list, button);
  over.showModal();
}

/** Places to go, filtered by what is typed; Enter on anything else searches for it. */
function openPalette(): void {
  const over = dialog(words.search || '', 'palette');
  const label = make('label', '');
  const input = make('input', '') as HTMLInputElement;
  input.placeholder = words.search || '';
  input.setAttribute('aria-label', words.search || '');
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-expanded', 'true');
  input.setAttribute('aria-controls', 'choices');
  label.append(input);
  const menu = make('div', 'menu');
  menu.id = 'choices';
  menu.setAttribute('role', 'listbox');
  menu.setAttribute('aria-label', words.search || '');
  let at = 0;
  const options = () => [...menu.children] as HTMLElement[];
  const mark = () => {
    options().forEach((option, index) => {
      option.setAttribute('aria-selected', String(index === at));
      if (index === at) input.setAttribute('aria-activedescendant', option.id);
    });
  };
  const fill = () => {
    const text = input.value.trim().toLowerCase();
    const found = places.filter(([, word]) => word.toLowerCase().includes(text));
    const all = text
      ? [
          ...found,
          [
            `${ROOT}/search?q=${encodeURIComponent(input.value.trim())}`,
            `${words.find} “${input.value.trim()}”`,
          ],
        ]
      : found;
    menu.replaceChildren(
      ...all.map(([href = '', word = ''], index) => {
        const option = make('div', '', word);
        option.id = `choice-${index}`;
        option.setAttribute('role', 'option');
        option.dataset.href = href;
        option.onclick = () => location.assign(href);
        return option;
      }),
    );
    at = 0;
    mark();
  };
  input.oninput = fill;
  input.onkeydown = (event) => {
    const { length } = menu.children;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      at = (at + (event.key === 'ArrowDown' ? 1 : length - 1)) % Math.max(1, length);
      mark();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      options()[at]?.click();
    }
  };
  over.append(label, menu);
  fill();
  over.showModal();
  input.focus();
}

enliven();
