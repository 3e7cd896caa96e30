import { expect, test } from 'vitest';
import { missingBubblewrap } from './bubblewrap.ts';

test.each([
  ['ID=debian\nVERSION_ID="13"\n', 'install it with: sudo apt install bubblewrap'],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', 'install it with: sudo apt install bubblewrap'],
  [
    'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\n',
    'install it with: sudo dnf install bubblewrap',
  ],
  ['ID=alpine\n', 'install it with: sudo apk add bubblewrap'],
  ['', 'install the package bubblewrap'],
])('the message about missing bubblewrap names the install command of %j', (release, advice) => {
  expect(missingBubblewrap(release)).toBe(`bubblewrap (bwrap) is not installed; ${advice}`);
});
