/** Editing tasks that name no file, each with the page that it is about and the words a model would search for. */
export interface ClumsyTask {
  name: string;
  instruction: string;
  path: string;
  title: string;
  heading: string;
  old: string;
  new: string;
  /** Words of the instruction, for a ranked search. */
  query: string;
  /** Words of the instruction, for a search by text. Many pages have some of them. */
  patterns: readonly string[];
}

export const clumsyTasks: readonly ClumsyTask[] = [
  {
    name: 'a rate limit',
    instruction:
      'The rate-limit figure on the page about limits of the platform is wrong: a key may send 100 requests per minute.',
    path: 'platform/throttling.mdx',
    title: 'Throttling',
    heading: 'Rate limit of a key',
    old: 'A key may send 60 requests per minute.',
    new: 'A key may send 100 requests per minute.',
    query: 'rate limit of a key, requests per minute',
    patterns: ['rate limit', 'requests per minute', 'limits of the platform'],
  },
  {
    name: 'a rotated secret',
    instruction:
      'After a webhook signing secret is rotated, the old one stays valid for 24 hours, not for 1 hour. Correct the documentation.',
    path: 'platform/endpoints/signatures.mdx',
    title: 'Signatures',
    heading: 'Rotate the signing secret of a webhook',
    old: 'The old secret stays valid for 1 hour.',
    new: 'The old secret stays valid for 24 hours.',
    query: 'rotate webhook signing secret',
    patterns: ['webhook signing secret', 'signing secret', '1 hour'],
  },
  {
    name: 'the age of audit entries',
    instruction: 'Audit entries are kept for 90 days. One page still says 30 days. Fix it.',
    path: 'platform/records.mdx',
    title: 'Records',
    heading: 'How long audit entries are kept',
    old: 'Entries are deleted after 30 days.',
    new: 'Entries are deleted after 90 days.',
    query: 'how long audit entries are kept',
    patterns: ['audit entries', '30 days'],
  },
  {
    name: 'the name of a variable',
    instruction:
      'The variable HARBOUR_PORT was renamed to HARBOUR_LISTEN_PORT. Update the page that mentions it.',
    path: 'operate/first-start.mdx',
    title: 'First start',
    heading: 'Choose the port',
    old: 'Set `HARBOUR_PORT` before the start.',
    new: 'Set `HARBOUR_LISTEN_PORT` before the start.',
    query: 'variable HARBOUR_PORT',
    patterns: ['HARBOUR_PORT'],
  },
  {
    name: 'a cell of a table',
    instruction: 'Uploads may now be 200 MB. The table with the upload sizes says 50 MB; change it.',
    path: 'platform/files.mdx',
    title: 'Files',
    heading: 'Sizes of uploads',
    old: '| Largest upload | 50 MB |',
    new: '| Largest upload | 200 MB |',
    query: 'table with the upload sizes',
    patterns: ['upload', '50 MB'],
  },
  {
    name: 'a sentence with typographic quotes',
    instruction:
      'Guests do not need a seat any more. The page on seats says that a guest counts as half a seat; it must say no seat.',
    path: 'teams/seats.mdx',
    title: 'Seats',
    heading: 'Guests and seats',
    old: 'A guest counts as “half a seat” – always.',
    new: 'A guest counts as “no seat” – always.',
    query: 'guest counts as half a seat',
    patterns: ['guest', 'half a seat'],
  },
  {
    name: 'an item of a nested list',
    instruction: 'When a backup is restored, the index needs 30 minutes, not 10. Correct the steps.',
    path: 'operate/disaster.mdx',
    title: 'After a disaster',
    heading: 'Restore a backup',
    old: '   - Wait 10 minutes for the index.',
    new: '   - Wait 30 minutes for the index.',
    query: 'restore a backup, wait for the index',
    patterns: ['backup', 'restore', 'index'],
  },
  {
    name: 'an address',
    instruction:
      'The status page has moved to https://status.example.com/v2. The help page links to v1; change the link.',
    path: 'help/contact.mdx',
    title: 'Contact',
    heading: 'See the current status',
    old: '[status page](https://status.example.com/v1)',
    new: '[status page](https://status.example.com/v2)',
    query: 'link to the status page',
    patterns: ['status page', 'status.example.com'],
  },
  {
    name: 'an added sentence',
    instruction: 'Where the documentation says when invoices are sent, add that they are due within 14 days.',
    path: 'billing/cycle.mdx',
    title: 'Billing cycle',
    heading: 'When invoices are sent',
    old: 'Invoices are sent on the first day of a month.',
    new: 'Invoices are sent on the first day of a month. They are due within 14 days.',
    query: 'when invoices are sent',
    patterns: ['invoices', 'invoices are sent'],
  },
  {
    name: 'a time limit',
    instruction:
      'A long request now ends after 60 seconds instead of 30. Correct the page about waiting for long requests.',
    path: 'platform/waiting.mdx',
    title: 'Waiting',
    heading: 'Time limit of long requests',
    old: 'A long request ends after 30 seconds.',
    new: 'A long request ends after 60 seconds.',
    query: 'time limit of long requests',
    patterns: ['30 seconds', 'long request'],
  },
];
