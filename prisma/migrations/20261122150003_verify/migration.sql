-- The auditor reads in slices now (src/store/verify.ts): one statement over all of an account held a snapshot for minutes,
-- and was quadratic where the planner knew nothing of the account.
drop function ledger_verify(bigint);
