-- The filter by the merchant's own reference. History may have longer ones than the gateway takes: an entry holds what is asked for at most.
create index transaction_by_external_code on transaction (account_id, family, left(external_code, 200), list_seq) where external_code is not null;
