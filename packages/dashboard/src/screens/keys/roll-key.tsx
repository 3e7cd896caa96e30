/** A new secret for a key; the old one goes on working for as long as it takes to exchange them. */
import type { ApiKey } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { KeyShownOnce } from './shown-once.tsx';

const overlaps = [
  { value: '0', label: 'Not at all: it ends at once' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
];

export function RollKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [overlap, setOverlap] = useState('3600');
  const queries = useQueryClient();
  const call = { params: { keyId: apiKey.id }, body: { overlapSeconds: Number(overlap) } };
  const roll = useMutation({
    mutationFn: () => client.call('rollKey', call),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (roll.data !== undefined)
    return (
      <Dialog open onClose={onClose} title="Your new key" keep>
        <KeyShownOnce made={roll.data} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Roll ${apiKey.name}`}
      lead="You get a new key with the same name and rights, and exchange it where the old one is used."
    >
      <SelectField
        label="The old key goes on working"
        value={overlap}
        onChange={setOverlap}
        choices={overlaps}
      />
      {roll.error !== null && <Problem error={roll.error} />}
      <ApiCall
        operation="rollKey"
        {...call}
        command={`docyard keys roll ${apiKey.id} --overlap ${overlap}`}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" onClick={() => roll.mutate()} busy={roll.isPending}>
          Roll key
        </Button>
      </DialogActions>
    </Dialog>
  );
}
