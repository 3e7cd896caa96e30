import type { ApiKey } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Ago } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { id, name, prefix, last4, lastUsedAt } = apiKey;
  const queries = useQueryClient();
  const toast = useToast();
  const revoke = useMutation({
    mutationFn: () => client.call('revokeKey', { params: { keyId: id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      toast(`${name} is revoked`);
      onClose();
    },
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke ${name}?`}
      action="Revoke key"
      act={() => revoke.mutate()}
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>
        <span className="mono">
          {prefix}…{last4}
        </span>{' '}
        was{' '}
        {lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used <Ago at={lastUsedAt} />
          </>
        )}
        . Every call with it fails immediately, and it cannot be restored. To replace it without downtime,
        roll it instead.
      </p>
    </Confirm>
  );
}
