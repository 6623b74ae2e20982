/** Examples in the help of commands. */

/** Examples by command. Each line works as it is, with other ids. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'account create': [
    'crossramp account create --name "Loja Azul"',
    'crossramp account create --name "Loja Azul" --mode live',
  ],
  'account list': ['crossramp account list', 'crossramp account list --json'],
  balance: ['crossramp balance', 'crossramp balance --json'],
  'transaction list': [
    'crossramp transaction list',
    'crossramp transaction list --account sandbox --family onramps --limit 5 --json',
  ],
  'transaction show': ['crossramp transaction show CRX01KQSDR2G0FDQV7RN9RMBV947R'],
  'refund retry': ['crossramp refund retry CRX01KQSDR2G0FDQV7RN9RMBV947R'],
  'refund settle': [
    'crossramp refund settle CRX01KQSDR2G0FDQV7RN9RMBV947R --reference E12345678202611211205abcdef12345',
  ],
  'secrets rotate': ['crossramp secrets rotate', 'crossramp secrets rotate --json'],
  'step-up list': ['crossramp step-up list --live', 'crossramp step-up list --json'],
  'step-up approve': [
    'crossramp step-up approve CRX01KQSDR2G0FDQV7RN9RMBV947R --reason "identity checked, case 4713"',
  ],
  'step-up deny': [
    'crossramp step-up deny CRX01KQSDR2G0FDQV7RN9RMBV947R --reason "no proof of income, case 4714"',
  ],
  treasury: ['crossramp treasury', 'crossramp treasury --account sandbox --json'],
  'journal list': ['crossramp journal list', 'crossramp journal list --state proposed --json'],
  'journal propose': [
    'crossramp journal propose --account platform --debit X.loss --credit A.pix --currency BRL --amount 12.34 --reason "a bank fee"',
  ],
  'journal approve': ['crossramp journal approve 1'],
  'journal reject': ['crossramp journal reject 1 --live'],
  'books trial-balance': [
    'crossramp books trial-balance --from 2026-01-01 --to 2026-01-31',
    'crossramp books trial-balance --account sandbox --csv',
  ],
  'books profit-and-loss': ['crossramp books profit-and-loss --from 2026-01-01 --to 2026-12-31'],
  'books close': ['crossramp books close --day 2026-01-31'],
  reconcile: [
    'crossramp reconcile',
    'crossramp reconcile --rail TRX --day 2026-01-31 --live --json',
    'crossramp reconcile --file january.ofx --live',
  ],
  records: ['crossramp records --month 2026-11 --live', 'crossramp records --month 2026-11 --format csv-pt'],
  'books closes': ['crossramp books closes', 'crossramp books closes --limit 5 --json'],
  'receivable list': ['crossramp receivable list', 'crossramp receivable list --live --json'],
  'receivable settle': [
    'crossramp receivable settle --account sandbox --currency USDT_TRX --amount 40 --source capital',
  ],
  'capital book': [
    'crossramp capital book --currency BRL --amount 5000.00 --direction in --idempotency-key 2026-05-01-deposit',
  ],
  'rebalance list': ['crossramp rebalance list --live', 'crossramp rebalance list --json'],
  'suspense list': ['crossramp suspense list --state open', 'crossramp suspense list --live'],
  'suspense assign': ['crossramp suspense assign 12 --account sandbox'],
  'suspense approve': ['crossramp suspense approve 12 --account 104'],
  'suspense reject': ['crossramp suspense reject 12'],
  'suspense return': ['crossramp suspense return 12'],
  'news list': ['crossramp news list --live', 'crossramp news list --state failed --json'],
  'news retry': ['crossramp news retry 31'],
  'news close': ['crossramp news close 31 --reason "told twice by the bank; case 4711"'],
  'whitelist list': ['crossramp whitelist list --account 100'],
  'whitelist withdraw-proof': ['crossramp whitelist withdraw-proof wle_4ZqPq0h0X8mQ1bVd --account 100'],
  'order list': ['crossramp order list --live'],
  'order settle': [
    'crossramp order settle CRX4711:pay:0 --live --not-done "the bank, case 4712"',
    'crossramp order settle CRX4711:pay:0 --live --done E1234567820261122100000000000001',
  ],
  'job list': ['crossramp job list --failed --live', 'crossramp job list --kind send_funds --json'],
  'job show': ['crossramp job show 4711 --live'],
  'job retry': ['crossramp job retry 4711 --live', 'crossramp job retry --waiting --kind send_funds --live'],
  'job cancel': [
    'crossramp job cancel 4711 --live --reason "the provider has dropped the charge; case 4712"',
  ],
  'network pause': ['crossramp network pause ETH --live --reason "fees; case 4712"'],
  'network resume': ['crossramp network resume ETH --live'],
  'key create': [
    'crossramp key create --account sandbox --scopes read,create --name "checkout server" --expires 90d',
    'crossramp key create --account sandbox --scopes read --allow 203.0.113.0/24 --allow 2001:db8::/32',
  ],
  'key list': ['crossramp key list --account sandbox'],
  'key rotate': ['crossramp key rotate key_1a2b3c --overlap 12h'],
  'key revoke': ['crossramp key revoke key_1a2b3c'],
  'person invite': [
    'crossramp person invite ana@example.com --account sandbox --name "Ana Souza" --role finance',
    'crossramp person invite rui@example.com --account platform --name "Rui Lima" --role platform_risk',
  ],
  'person link': ['crossramp person link --json', 'crossramp person link ana@example.com --account sandbox'],
  'person list': ['crossramp person list --account sandbox'],
  'person confirm': ['crossramp person confirm ana@example.com --account sandbox'],
  'person remove': ['crossramp person remove ana@example.com --account sandbox'],
  'person sessions': ['crossramp person sessions ana@example.com'],
  'audit list': [
    'crossramp audit list',
    'crossramp audit list --account sandbox --act key.create,key.revoke --since 2026-05-01T00:00:00Z --json',
  ],
  'request list': [
    'crossramp request list',
    'crossramp request list --account sandbox --status-class 4 --transaction CRX01M7YZCZ9HF0JV5S6S4QWDX4RJ --json',
  ],
  'audit verify': ['crossramp audit verify', 'crossramp audit verify --account sandbox --json'],
  'webhook list': ['crossramp webhook list --account sandbox'],
  'webhook deliveries': [
    'crossramp webhook deliveries --account sandbox --state dead',
    'crossramp webhook deliveries --account sandbox --endpoint whe_1a2b3c --limit 100 --json',
  ],
  'webhook create': [
    'crossramp webhook create --account sandbox --url https://shop.example/hooks --events "onramp.*.paid"',
  ],
  'webhook pause': ['crossramp webhook pause whe_1a2b3c --account sandbox'],
  'webhook resume': ['crossramp webhook resume whe_1a2b3c --account sandbox'],
  'webhook recover': ['crossramp webhook recover whe_1a2b3c --account sandbox'],
  'webhook redeliver': [
    'crossramp webhook redeliver --account sandbox --since 2026-05-01T12:00:00Z --count',
    'crossramp webhook redeliver --account sandbox --endpoint whe_1a2b3c',
  ],
  'webhook secret': [
    'crossramp webhook secret --account sandbox',
    'crossramp webhook secret whe_1a2b3c --account sandbox --rotate',
  ],
  'events tail': ['crossramp events tail', 'crossramp events tail --events "onramp.*,offramp.*" --json'],
  listen: ['crossramp listen --forward-to http://localhost:3000/hook --events "onramp.*"'],
  mcp: ['crossramp mcp', 'crossramp mcp --base-url https://pay.shop.invalid --key crx_test_…'],
  import: ['crossramp import docs/examples/history.ndjson --account sandbox'],
  export: [
    'crossramp export --account sandbox > history.ndjson',
    'crossramp export --account sandbox --format journals > journals.ndjson',
  ],
  verify: ['crossramp verify', 'crossramp verify --account sandbox --json'],
  'signer init': [
    'crossramp signer init --folder /var/lib/crossramp-signer --passphrase-file /run/secrets/signer',
    'crossramp signer init --folder /var/lib/crossramp-signer --import words.txt --json',
  ],
  'signer enrol': [
    'crossramp signer enrol --folder /var/lib/crossramp-signer --account 107 --name "Ana Souza"',
  ],
  'signer run': [
    'crossramp signer run --folder /var/lib/crossramp-signer --socket /run/crossramp/signer.sock',
    'crossramp signer run --folder /var/lib/crossramp-signer --socket /run/crossramp/signer.sock --page 127.0.0.1:8480',
    'crossramp signer run --folder /var/lib/crossramp-signer --listen 10.0.0.7:8443 --certificate signer.pem --key signer-key.pem --client-ca ca.pem --passphrase-file /run/secrets/signer',
  ],
  trigger: [
    'crossramp trigger',
    'crossramp trigger pay CRX01KQSDR2G0FDQV7RN9RMBV947R',
    'crossramp trigger pay-under CRX01KQSDR2G0FDQV7RN9RMBV947R --amount 10',
  ],
  'trigger fund': ['crossramp trigger fund --account sandbox --currency USDT_TRX --amount 150'],
  'clock show': ['crossramp clock show'],
  'clock advance': ['crossramp clock advance 30m'],
  psp: ['crossramp psp', 'crossramp psp --home ./psp --port 0 --control-port 0 --json'],
  migrate: ['crossramp migrate'],
  backup: [
    'crossramp backup /mnt/backups/crossramp',
    'crossramp backup /mnt/backups/crossramp --keep 7 --archive-timeout 30',
    'crossramp backup --off',
  ],
  restore: [
    'CROSSRAMP_HOME=/var/lib/my-gateway crossramp restore /mnt/backups/crossramp',
    'CROSSRAMP_HOME=/var/lib/my-gateway crossramp restore /mnt/backups/crossramp --until 2026-11-29T12:00:00Z',
  ],
  doctor: ['crossramp doctor'],
  completion: [
    'source <(crossramp completion bash)      # in ~/.bashrc',
    'source <(crossramp completion zsh)       # in ~/.zshrc, after compinit',
    'crossramp completion fish > ~/.config/fish/completions/crossramp.fish',
  ],
};
