/**
 * Bounds on what a GraphQL request may nest. They hold before anything works on it: parsers and printers call themselves for
 * whatever nests, and their stack has an end.
 */
import { GraphQLError, Lexer, parse, Source, type Token, TokenKind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../base/errors.ts';

/** Most tokens of a document. */
const TOKENS_MAX = 2_000;
/** Most brackets of all kinds that are open at once: far beyond what fits the schema, far below any stack. */
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

/**
 * @param params - a request as JSON gave it, with its variables.
 * @throws {GatewayError} `BAD_REQUEST` when more than 200 lists and objects stand in each other.
 */
export function checkNesting(params: unknown): void {
  if (nestsDeeper(params, NESTING_MAX))
    throw new GatewayError('BAD_REQUEST', `lists and objects must not nest more than ${NESTING_MAX} deep`);
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => nestsDeeper(each, levels - 1));
}

function tooMuch(detail: string): GraphQLError {
  return new GraphQLError(detail, { extensions: { http: { status: 400 } } });
}
