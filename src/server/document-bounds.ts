/** Bounds on documents that hold while a document is read: the parser calls itself for whatever nests, and its stack has an end. */
import { GraphQLError, Lexer, parse, Source, type Token, TokenKind } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Most tokens of a document. */
const TOKENS_MAX = 2_000;
/** Most brackets of all kinds that are open at once: far beyond any document that fits the schema, far below the parser's stack. */
const NESTING_MAX = 200;

const OPENING: readonly string[] = [TokenKind.PAREN_L, TokenKind.BRACKET_L, TokenKind.BRACE_L];
const CLOSING: readonly string[] = [TokenKind.PAREN_R, TokenKind.BRACKET_R, TokenKind.BRACE_R];

/** Reads the tokens of a document up to the bounds. */
class BoundedLexer extends Lexer {
  #tokens = 0;
  #nesting = 0;

  /** @throws {GraphQLError} beyond a bound. */
  override advance(): Token {
    const token = super.advance();
    if (token.kind !== TokenKind.EOF) this.#tokens += 1;
    if (OPENING.includes(token.kind)) this.#nesting += 1;
    if (CLOSING.includes(token.kind)) this.#nesting -= 1;
    if (this.#tokens > TOKENS_MAX) throw tooMuch(`Token limit of ${TOKENS_MAX} exceeded.`);
    if (this.#nesting > NESTING_MAX) throw tooMuch(`Nesting limit of ${NESTING_MAX} exceeded.`);
    return token;
  }
}

/** Refuses documents of too many tokens, or nested too deep, with status 400. */
export const DOCUMENT_BOUNDS: Plugin = {
  onParse({ setParseFn }) {
    setParseFn((source: string | Source, options: object) => {
      const lexer = new BoundedLexer(typeof source === 'string' ? new Source(source) : source);
      return parse(source, { ...options, lexer });
    });
  },
};

function tooMuch(detail: string): GraphQLError {
  return new GraphQLError(`Syntax Error: ${detail}`, { extensions: { http: { status: 400 } } });
}
