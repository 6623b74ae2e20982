/** Overlays: the sheet of keys, and the palette, which navigates, creates and performs the actions of the screen. */
import { byId, make, pageData, places, ROOT, words } from './page-data.ts';

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

/** Shows all keys. */
export function openKeys(): void {
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
  if (pageData.mayCreate) line('n', words.newPayment);
  places.forEach(([, word, key]) => {
    line(`g ${key}`, word);
  });
  line('?', words.all);
  const button = make('button', 'btn full', words.close);
  button.onclick = () => over.close();
  over.append(list, button);
  over.showModal();
}

/** An entry of the palette: a screen, or an action of the present screen. */
interface Choice {
  readonly word: string;
  readonly group: string;
  readonly keys?: string;
  /** Content next to the label. */
  readonly extra?: readonly Node[];
  readonly choose: () => void;
}

const wordOf = (each: HTMLElement) => (each.textContent ?? '').trim();

function offeredNow(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main summary, main form[method="post"] button')]
    .filter((each) => each.checkVisibility())
    .filter((each) => each.matches('.btn, .add > summary, button:not([name="ask"])'));
}

/** Labels that occur several times on the screen are left out: the choice would be ambiguous. */
function choicesOfScreen(): Choice[] {
  const names = offeredNow().map(wordOf);
  return names
    .filter((word) => names.indexOf(word) === names.lastIndexOf(word))
    .map((word) => ({ word, group: words.here ?? '', choose: () => pressOffered(word) }));
}

/** The element is found by its label: a live update may have replaced it (live.ts). */
function pressOffered(word: string): void {
  const offered = offeredNow().find((each) => wordOf(each) === word);
  if (offered) press(offered);
}

/** A form behind its name is opened, and asks for confirmation; a plain button is pressed. */
function press(each: HTMLElement): void {
  const form = each.closest('details');
  if (!(each instanceof HTMLButtonElement) && form) form.open = true;
  else each.click();
  each.scrollIntoView({ block: 'center' });
  form?.querySelector<HTMLElement>('input:not([type="hidden"]), select, button')?.focus();
}

function choicesFor(text: string): Choice[] {
  const fits = ({ word }: Choice) => word.toLowerCase().includes(text.toLowerCase());
  const going = ([href, word, key]: readonly [string, string, string?], group: string): Choice => ({
    word,
    group,
    ...(key && { keys: `g ${key}` }),
    choose: () => location.assign(href),
  });
  const known = [
    ...choicesOfScreen(),
    ...pageData.kinds.map((each) => going(each, words.newTitle ?? '')),
    ...pageData.views.map((each) => going(each, words.views ?? '')),
    ...places.map((each) => going(each, words.goTo ?? '')),
  ].filter(fits);
  return known;
}

function searchPath(text: string): string {
  return `${ROOT}/search?q=${encodeURIComponent(text)}`;
}

function searchChoice(text: string): Choice {
  const word = `${words.find} “${text}”`;
  return { word, group: words.find ?? '', choose: () => location.assign(searchPath(text)) };
}

/** Pause in typing before a search. Unit: ms. */
const TYPED_MS = 250;
const FOUND_MAX = 6;

/** Results of a text, as the screen of the search renders them. */
async function foundBy(text: string): Promise<Choice[]> {
  const answer = await fetch(searchPath(text)).catch(() => null);
  const page = new DOMParser().parseFromString(answer?.ok ? await answer.text() : '', 'text/html');
  return [...page.querySelectorAll<HTMLElement>('main [data-row], main [data-hit]')]
    .slice(0, FOUND_MAX)
    .flatMap((hit) => {
      const link = hit.querySelector<HTMLAnchorElement>('a[href]');
      return link ? [hitChoice(hit, link)] : [];
    });
}

function hitChoice(hit: HTMLElement, link: HTMLAnchorElement): Choice {
  const about = hit.querySelector('small, code')?.textContent ?? '';
  const amount = hit.querySelector('.narrow.num')?.firstChild?.textContent ?? '';
  const badge = hit.querySelector('.badge');
  return {
    word: link.textContent ?? '',
    group: words.found ?? '',
    extra: [
      make('span', 'soft cut', about),
      make('span', 'push num', amount),
      ...(badge ? [document.importNode(badge, true)] : []),
    ],
    choose: () => location.assign(link.href),
  };
}

/** Entries that match the typed text, followed by search results; Enter on any other text searches for it. */
export function openPalette(): void {
  const over = dialog(words.search || '', 'palette');
  const label = make('label', '');
  const input = make('input', '') as HTMLInputElement;
  input.placeholder = words.search || '';
  const traits = {
    'aria-label': words.search || '',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'choices',
  };
  Object.entries(traits).forEach(([name, value]) => {
    input.setAttribute(name, value);
  });
  label.append(input);
  const menu = make('div', 'menu');
  menu.id = 'choices';
  menu.setAttribute('role', 'listbox');
  menu.setAttribute('aria-label', words.search || '');
  let at = 0;
  const options = () => [...menu.querySelectorAll<HTMLElement>('[role="option"]')];
  const mark = () => {
    options().forEach((option, index) => {
      option.setAttribute('aria-selected', String(index === at));
      if (index !== at) return;
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    });
  };
  const typed = () => input.value.trim();
  const fill = (found: readonly Choice[] = []) => {
    const search = typed() === '' ? [] : [searchChoice(typed())];
    menu.replaceChildren(...groupsOf([...choicesFor(typed()), ...found, ...search], over));
    mark();
  };
  let searches = 0;
  input.oninput = () => {
    at = 0;
    fill();
    window.clearTimeout(searches);
    const text = typed();
    if (text === '') return;
    searches = window.setTimeout(async () => {
      const found = await foundBy(text);
      if (over.isConnected && typed() === text) fill(found);
    }, TYPED_MS);
  };
  input.onkeydown = (event) => {
    const { length } = options();
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

/** The choices under the headings of their groups. */
function groupsOf(choices: readonly Choice[], over: HTMLDialogElement): HTMLElement[] {
  const groups = new Map<string, HTMLElement>();
  choices.forEach((choice, index) => {
    const group = groups.get(choice.group) ?? groupNamed(choice.group);
    groups.set(choice.group, group);
    const option = make('div', '');
    option.append(make('span', '', choice.word), ...(choice.extra ?? []));
    option.id = `choice-${index}`;
    option.setAttribute('role', 'option');
    if (choice.keys) {
      const keys = make('span', 'push wide');
      choice.keys.split(' ').forEach((key) => {
        keys.append(make('kbd', '', key), ' ');
      });
      option.append(keys);
    }
    option.onclick = () => {
      over.close();
      choice.choose();
    };
    group.append(option);
  });
  return [...groups.values()];
}

function groupNamed(name: string): HTMLElement {
  const group = make('div', '');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', name);
  const heading = make('h3', '', name);
  heading.setAttribute('role', 'presentation');
  group.append(heading);
  return group;
}
