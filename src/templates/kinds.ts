/**
 * The closed list of attribute kinds. A kind defines the stored type, the GraphQL type and the wire format of a value;
 * templates have no rendering of their own. A template that these kinds cannot express needs a design review.
 */

/** Forms on the wire and in GraphQL: `string`, `number` (exact), `integer` (rounded, C-4). */
export interface Kind {
  readonly wire: 'string' | 'number' | 'integer';
  readonly graphql: 'String' | 'Decimal' | 'DateTime' | 'PixKeyType';
  /** Part of the OpenAPI schema of the wire form. */
  readonly format?: string;
}

/** Kinds by name. */
export const KINDS = {
  /** Any text. */
  text: { wire: 'string', graphql: 'String' },
  /** An instant, UTC (C-2). */
  instant: { wire: 'string', graphql: 'DateTime', format: 'date-time' },
  /** Units of BRL for one unit of crypto. */
  rate: { wire: 'number', graphql: 'Decimal' },
  /** An amount of the attribute's currency. */
  amount: { wire: 'number', graphql: 'Decimal' },
  /** A rate or amount that the interface publishes as an integer; GraphQL returns it exactly (C-4). */
  rounded: { wire: 'integer', graphql: 'Decimal' },
  /** A decimal that is shown digit for digit, never as a number. */
  exact: { wire: 'string', graphql: 'String' },
  /** Display name of a currency, `USDT (TRX)` (C-6). */
  currency_name: { wire: 'string', graphql: 'String' },
  /** Asset of a currency, `USDT` (C-6). */
  currency_asset: { wire: 'string', graphql: 'String' },
  /** Raw ledger code of a currency, `USDT_TRX` (C-6). */
  currency_code: { wire: 'string', graphql: 'String' },
  url: { wire: 'string', graphql: 'String', format: 'uri' },
  /** A PIX or on-chain transaction id. */
  hash: { wire: 'string', graphql: 'String' },
  /** Type of a PIX key. */
  pix_key_type: { wire: 'string', graphql: 'PixKeyType' },
  /** CPF (11 digits) or CNPJ (14 characters), personal data. */
  tax_id: { wire: 'string', graphql: 'String' },
} as const satisfies Record<string, Kind>;

/** Name of a kind. */
export type KindName = keyof typeof KINDS;
