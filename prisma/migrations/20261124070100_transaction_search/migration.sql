-- What a search looks for and no list filters by: hash, deposit address, name. Each is known to few steps, so few updates of a
-- transaction change these indexes.
create index transaction_by_tx_hash on transaction (account_id, tx_hash) where tx_hash is not null;
create index transaction_by_deposit_address on transaction (account_id, deposit_address, id) where deposit_address is not null;
-- By bytes, so that the names with a beginning are a range.
create index transaction_by_name on transaction (account_id, lower(client_name) text_pattern_ops) where client_name is not null;
