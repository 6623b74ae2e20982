-- The list of what account holders owe the house reads these ledger accounts of all account holders.
create index ledger_account_receivable on ledger_account (account_id, currency) where house = 'A.recv';
