/**
 * Limits on the size and nesting of a GraphQL request. They are checked first, because parsers and printers are recursive and
 * deep nesting would overflow their stack.
 */
import { GraphQLError, Lexer, parse, Source, type Token, TokenKind, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../base/errors.ts';
import { INPUT_BOUNDS } from '../base/exact-json.ts';
import { countComparisons } from './document-comparisons.ts';

/** Maximum number of tokens in a document. */
const TOKENS_MAX = 2_000;
/** Maximum nesting of brackets: far more than the schema allows, far less than a stack overflow needs. */
const NESTING_MAX = 200;
/** Maximum number of all members and entries of a request. */
const VALUES_MAX = 10_000;
/** An answer names so many errors of a document: each is looked up among all names of the schema. */
const ERRORS_MAX = 10;
/** Maximum number of comparisons of fields that answer under one name. */
const COMPARISONS_MAX = 20_000;

const OPENING: readonly string[] = [TokenKind.PAREN_L, TokenKind.BRACKET_L, TokenKind.BRACE_L];
const CLOSING: readonly string[] = [TokenKind.PAREN_R, TokenKind.BRACKET_R, TokenKind.BRACE_R];

/** A lexer that stops at the limits. */
class BoundedLexer extends Lexer {
  #tokens = 0;
  #nesting = 0;

  /** @throws {GraphQLError} over a limit. */
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

/** Refuses documents of too many tokens, nested too deep, or with too many fields of one name in one place, with status 400. */
export const DOCUMENT_BOUNDS: Plugin = {
  onParse({ setParseFn }) {
    setParseFn((source: string | Source, options: object) => {
      const lexer = new BoundedLexer(typeof source === 'string' ? new Source(source) : source);
      const document = parse(source, { ...options, lexer });
      if (countComparisons(document, COMPARISONS_MAX) > COMPARISONS_MAX)
        throw tooMuch('Fields of one name are selected too often in one place: select each once.');
      return document;
    });
  },
  onValidate({ setValidationFn }) {
    setValidationFn((schema, document, rules, options) =>
      validate(schema, document, rules, { ...options, maxErrors: ERRORS_MAX }),
    );
  },
};

/**
 * Checks the size of a request: each wrong value of a variable would be told together with the object or list that it stands in.
 *
 * @param params - a parsed request with its variables.
 * @throws {GatewayError} `BAD_REQUEST` for too many lists and objects in each other, and too many values.
 */
export function checkSize(params: unknown): void {
  let values = 0;
  const check = (value: unknown, levels: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (levels === 0) throw tooLarge(`lists and objects must not nest more than ${NESTING_MAX} deep`);
    const isList = Array.isArray(value);
    const each: readonly unknown[] = isList ? value : Object.values(value);
    if (each.length > (isList ? INPUT_BOUNDS.entries : INPUT_BOUNDS.members))
      throw tooLarge(
        isList
          ? `a list must not have more than ${INPUT_BOUNDS.entries} entries`
          : `an object must not have more than ${INPUT_BOUNDS.members} members`,
      );
    values += each.length;
    if (values > VALUES_MAX) throw tooLarge(`a request must not have more than ${VALUES_MAX} values`);
    for (const one of each) check(one, levels - 1);
  };
  check(params, NESTING_MAX);
}

function tooLarge(detail: string): GatewayError {
  return new GatewayError('BAD_REQUEST', detail);
}

function tooMuch(detail: string): GraphQLError {
  return new GraphQLError(detail, { extensions: { http: { status: 400 } } });
}
