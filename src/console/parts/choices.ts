/** Values of enums of the schema that forms offer. */

/** Types of PIX keys. */
export const PIX_KEY_TYPES = ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM'] as const;
