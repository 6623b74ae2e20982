-- The lines of a journal are found by its transaction; those of adjustments and of imported history have none.
create index ledger_line_adjustment on ledger_line (account_id, journal_id) where transaction_id is null;
