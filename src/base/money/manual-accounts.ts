/** House accounts that no transaction relies on, by their names in the chart; manual journals move only these. */
export const MANUAL_ACCOUNTS = [
  'A.pix',
  'A.custody',
  'E.fx',
  'E.capital',
  'R.fee',
  'R.netfee',
  'R.dust',
  'X.gas',
  'X.loss',
] as const;
