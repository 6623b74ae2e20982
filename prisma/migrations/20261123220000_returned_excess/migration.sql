-- What was paid beyond the price goes back by `order_returns` now. A job of the old name that was not done would fail for ever,
-- and hold up all later jobs of its transaction. Its return was booked with the payment (L9), so there is none to be ordered.
update job set kind = 'order_returns' where kind = 'return_excess';
