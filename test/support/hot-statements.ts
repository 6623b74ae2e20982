/** The hot statements: those that the gateway sends for each onramp, each event and each read. Their plans: test/store/hot-plans.test.ts. */

/** Indexes that the hot statements read large tables by, or `a|b` for either; none where a row is only added, or a function of the ledger called. */
export const HOT: Readonly<Record<string, string>> = {
  account_holder: 'account_pkey',
  account_versions: 'account_head_pkey',
  api_key_by_hash: 'api_key_hash_key account_pkey',
  api_key_touch: 'api_key_pkey',
  audit_length: 'account_head_pkey',
  audit_newest: 'audit_entry_pkey',
  balances: 'ledger_balance_pkey',
  branding_read: 'account_pkey',
  cases_of_customer: 'customer_case_pkey',
  delivery_end: 'webhook_delivery_pkey webhook_endpoint_pkey',
  delivery_lease:
    'webhook_delivery_by_transaction webhook_delivery_next_due webhook_delivery_pkey webhook_endpoint_pkey webhook_turn_pkey event_pkey event_form_pkey',
  event_marks: 'account_head_pkey',
  event_page: 'event_pkey event_form_pkey',
  idempotency_bind: 'idempotency_key_pkey',
  idempotency_keep: 'idempotency_key_pkey',
  idempotency_read: 'idempotency_key_pkey',
  idempotency_take: '',
  job_add: 'account_pkey',
  job_add_handed: 'account_pkey job_pkey',
  job_claim: 'job_by_clock job_pkey',
  job_end: 'job_pkey',
  ledger_open: '',
  ledger_post: '',
  list_offset_counted_: 'transaction_account_id_family_list_seq_key list_head_pkey',
  list_slice_counted_: 'transaction_account_id_family_list_seq_key list_head_pkey',
  rail_event_by_txid: 'transaction_by_txid account_pkey',
  rail_event_keep: '',
  rail_event_known: 'rail_news_by_key',
  posting_account_ids: 'ledger_account_account_id_code_currency_key',
  process_add: '',
  process_by_end2end: 'transaction_account_id_end2end_key',
  process_change: 'transaction_pkey',
  process_list_heads: 'list_head_pkey',
  process_lock: 'account_head_pkey account_pkey',
  process_read: 'transaction_pkey',
  process_record: 'account_head_pkey event_form_pkey',
  rate: 'rate_pkey',
  rates: 'rate_pkey',
  relay_behind: 'relay_queue_pkey account_pkey',
  relay_lock: 'relay_place_pkey account_pkey',
  relay_step: 'event_pkey relay_place_pkey relay_queue_pkey transaction_pkey webhook_endpoint_of_account',
  request_log_count: 'request_term_pkey request_batch_pkey',
  request_log_newest: 'request_term_pkey request_batch_pkey api_key_pkey',
  sandbox_place_orders: 'sandbox_order_pkey account_pkey',
  settings_template: 'template_setting_pkey',
  statement_entries: 'ledger_account_pkey transaction_pkey',
  statement_entries_near: 'ledger_line_pkey ledger_day_pkey ledger_balance_pkey transaction_pkey',
  statement_slice_desc: 'ledger_line_pkey ledger_day_pkey',
  statement_slice_desc_whole: 'ledger_line_pkey ledger_day_pkey transaction_pkey',
  statement_slice_desc_whole_within: 'ledger_line_pkey ledger_line_rank ledger_day_pkey transaction_pkey',
  statement_slice_desc_within: 'ledger_line_pkey ledger_line_rank ledger_day_pkey',
  transaction_by_end2end: 'transaction_account_id_end2end_key',
  transactions_by_ids: 'transaction_pkey',
  turn_bury: '',
  turn_live: '',
  turn_look: 'webhook_delivery_in_order webhook_endpoint_pkey',
  turn_take: 'webhook_turn_in_order webhook_endpoint_pkey',
  volumes_change: 'account_head_pkey',
  // A customer has a few rows, in one account or in all.
  volumes_read: 'volume_day_pkey|volume_day_of_customer customer_pkey',
};
/** What comes by time or by chance, on a busy machine more often; and what is no statement of the store. */
const OTHERS =
  /^(?:begin|commit|rollback|test_|api_keys?_|rates?_|sandbox_ahead|event_log_|relay_(?:lag|hold)|turn_give_back|job_(?:renew|pending|postpone|give_back)|rail_event_(?:pending|postpone|hasten|try_again)|setting_changes|webhook_sample_claim|notification_hook_(?:address|claim))/;

/** @returns those of the names that are not in the table, and should be. */
export function unpinned(names: Iterable<string>): string[] {
  return [...names].filter((name) => HOT[name] === undefined && !OTHERS.test(name));
}
