/**
 * Limits on the size and nesting of a GraphQL document. They are checked first, because parsers and printers are
 * recursive and deep nesting would overflow their stack. Limits on the request are in base/input/input-bounds.ts.
 */
import { GraphQLError, Lexer, parse, Source, type Token, TokenKind, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { INPUT_BOUNDS } from '../../base/input/input-bounds.ts';
import { countComparisons } from './document-comparisons.ts';

/** Maximum number of tokens in a document. */
const TOKENS_MAX = 2_000;
/** Maximum nesting of brackets, as in JSON: far more than the schema allows, far less than a stack overflow needs. */
const NESTING_MAX = INPUT_BOUNDS.levels;
/** Maximum number of errors in a response: each error searches all names of the schema. */
const ERRORS_MAX = 10;
/** Maximum number of comparisons of fields with the same response name. */
const COMPARISONS_MAX = 20_000;

const OPENING: readonly string[] = [TokenKind.PAREN_L, TokenKind.BRACKET_L, TokenKind.BRACE_L];
const CLOSING: readonly string[] = [TokenKind.PAREN_R, TokenKind.BRACKET_R, TokenKind.BRACE_R];

/** A lexer that stops at the limits. */
class BoundedLexer extends Lexer {
  #tokens = 0;
  #nesting = 0;

  /** @throws {GraphQLError} over one of the limits. */
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

/**
 * Refuses documents with too many tokens, nested too deep, or with too many fields of one name at one path, with status 400.
 */
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

function tooMuch(detail: string): GraphQLError {
  return new GraphQLError(detail, { extensions: { http: { status: 400 } } });
}
