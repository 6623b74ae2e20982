/** Markdown of the project's own documents as HTML, with an anchor at each heading, and cut into sections for the search. */
import { Marked, type Tokens } from 'marked';

/** A part of a page that a search finds: what stands below one heading. */
export interface Section {
  /** Id of the heading; empty for what stands above the first one. */
  readonly anchor: string;
  readonly title: string;
  /** Plain words, for the search. */
  readonly text: string;
}

/** A document that is ready to be shown. */
export interface Rendered {
  readonly html: string;
  readonly title: string;
  readonly sections: readonly Section[];
}

/** A document, ready to be shown and as Markdown for programs. */
export interface RenderedTwice extends Rendered {
  readonly markdown: string;
}

/** @returns the document in both forms. */
export function renderTwice(text: string, linkTo: (target: string) => string | null): RenderedTwice {
  return { ...renderMarkdown(text, linkTo), markdown: withLinks(text, linkTo) };
}

/** Ends the path of a page as Markdown. */
export const MARKDOWN_END = '.md';
const PAGE_LINK = /^(\/docs\/[\w/.-]+?)(#.*)?$/;

/** @returns the text with its links as `linkTo` has them; those to pages lead to their Markdown. Code stays as it is. */
function withLinks(text: string, linkTo: (target: string) => string | null): string {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(/(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^()\s]+)\)/g, linked),
    )
    .join('');

  function linked(_whole: string, mark: string, words: string, href: string): string {
    const target = linkTo(href);
    if (target === null) return mark === '!' ? '' : words;
    const isPage = mark === '' && !target.endsWith('.png');
    return `${mark}[${words}](${isPage ? target.replace(PAGE_LINK, `$1${MARKDOWN_END}$2`) : target})`;
  }
}

/**
 * @param linkTo - where a link or an image of the document leads; null for what is not shown here: then its words stay.
 * @returns the document. Its text is trusted: it comes with the project.
 */
function renderMarkdown(text: string, linkTo: (target: string) => string | null): Rendered {
  const anchors = anchorMaker();
  const sections: { anchor: string; title: string; text: string }[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text: raw }) {
        return `<h${depth} id="${anchors.next(plain(raw))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = linkTo(href);
        return target === null ? words : `<a href="${escapeAttribute(target)}">${words}</a>`;
      },
      // HTML in a description counts as plain text.
      html({ text: words }) {
        return words.startsWith('<!--') ? '' : escapeText(words);
      },
      image({ href, text: alt }) {
        const target = linkTo(href);
        return target === null
          ? ''
          : `<img src="${escapeAttribute(target)}" alt="${escapeAttribute(alt)}" loading="lazy">`;
      },
    },
  });
  const tokens = marked.lexer(text);
  const named = anchorMaker();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = plain((token as Tokens.Heading).text);
      sections.push({ anchor: named.next(title), title, text: '' });
    } else {
      const section = sections.at(-1);
      if (section) section.text += ` ${plain(token.raw)}`;
    }
  }
  const html = marked
    .parser(tokens)
    // Wide tables and code scroll by themselves, by keys too, so that the page does not.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { html, title: sections[0]?.title ?? '', sections };
}

/** @returns words without the signs of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]|^[#>-]+ |-{3,}/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Makes the anchors of one page, as code hosts do: lower case, hyphens for spaces, a number where one comes again. */
function anchorMaker() {
  const used = new Map<string, number>();
  return {
    next(title: string): string {
      const slug = title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-');
      const count = used.get(slug) ?? 0;
      used.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    },
  };
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}
