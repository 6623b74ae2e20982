/** Gateway and key that each call is given, and the order that it makes. */
export const { BASE_URL: baseUrl = '', API_KEY: key = '' } = process.env;
export const authorization = `Bearer ${key}`;

export const order = {
  amount_payment: '150.00',
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};
