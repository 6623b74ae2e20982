-- Proof that a person chose the destination, made outside of the gateway: the signer asks for it (docs/signer.md).
alter table whitelist_entry add column proof jsonb;
