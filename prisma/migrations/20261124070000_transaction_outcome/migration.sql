-- Lists of several families: what has ended is found by its status, what has not by being open, without reading the rest.

-- The status that a transaction has ended with, by its step; OPEN while it can go on. A step that is not listed counts as OPEN,
-- so whoever looks for a status reads the open transactions too, and looks at their steps.
create function step_outcome(component text, state text) returns text language sql immutable parallel safe
  return case
    when (component || '/' || state) in (
      'success/DONE', 'dispute/REJECTED', 'success_withdrawl_dash/DONE') then 'SUCCESS'
    when (component || '/' || state) in (
      'partial_success/DONE') then 'PARTIAL_SUCCESS'
    when (component || '/' || state) in (
      'valida_id_v2/DENIED', 'depositpix_v2/ERROR', 'refund/ERROR', 'valida_id/DENIED', 'depositpix/ERROR',
      'kyc_payee/DENIED', 'reserve/ERROR', 'request_withdrawl_dash/ERROR', 'send_withdrawl_dash/ERROR') then 'FAILED'
    when (component || '/' || state) in (
      'depositpix_v2/EXPIRED', 'depositpix/EXPIRED', 'crypto_deposit/EXPIRED') then 'EXPIRED'
    when (component || '/' || state) in (
      'quote/EXPIRED', 'quote/ERROR', 'quote/CANCELLED', 'pre_kyc/LIMIT', 'valida_id_v2/IRREGULAR', 'valida_id/IRREGULAR',
      'kyc_payee/DIVERGENT', 'approval_withdrawl_dash/REJECTED', 'approval_withdrawl_dash/CANCELLED') then 'CANCELLED'
    when (component || '/' || state) in (
      'refund/DONE', 'dispute/ACCEPTED', 'pix_out/RETURNED', 'success_withdrawl_dash/RETURNED') then 'REFUNDED'
    else 'OPEN' end;

-- Of the updates of a transaction only the one that ends it changes an index by this.
alter table transaction add column outcome text generated always as (step_outcome(component, state)) stored;
create index transaction_by_outcome on transaction (account_id, family, outcome, list_seq);

-- The greatest position in [p_lo - 1, p_hi] of a list whose record stands before this one in the order of contract C-10:
-- a search of halves, because the positions are in that order.
create function list_place(p_account bigint, p_family text, p_lo bigint, p_hi bigint, p_at timestamptz, p_end2end text)
returns bigint language plpgsql stable parallel safe as $$
declare low bigint := p_lo - 1; high bigint := p_hi; mid bigint; is_before boolean;
begin
  while low < high loop
    mid := (low + high + 1) / 2;
    select t.created_at < p_at or t.created_at = p_at and t.end2end collate "C" < p_end2end collate "C" into is_before
      from transaction t where t.account_id = p_account and t.family = p_family and t.list_seq = mid;
    if is_before then low := mid; else high := mid - 1; end if;
  end loop;
  return low;
end $$;
