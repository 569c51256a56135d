-- Up Migration
-- Calls that policy `resend` gave up stay in doubt whatever way is chosen to settle those after them: true, or null.

alter table notifications add column unknown_is_resent boolean;
