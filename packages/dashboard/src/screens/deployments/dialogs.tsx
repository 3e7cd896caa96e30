import type { Deployment } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog, DialogActions } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { exact } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';

interface DialogProps {
  deployment: Deployment;
  onClose: () => void;
}

export function ConfirmRollback({ deployment, onClose }: DialogProps) {
  const { id, name, release: served, releases } = deployment;
  const others = releases.filter((each) => each.id !== served?.id);
  const place = releases.findIndex((each) => each.id === served?.id);
  const [target, setTarget] = useState(releases[place + 1]?.id ?? others[0]?.id ?? '');
  const queries = useQueryClient();
  const params = { deploymentId: id };
  const rollback = useMutation({
    mutationFn: () => client.call('rollbackDeployment', { params, body: { release: target } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['deployments'] });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Roll back ${name}?`}
      lead={`${name} serves ${served?.version ?? served?.id ?? 'nothing'} now. It switches with its next report, within about ${deployment.reportSeconds} seconds, and stays on that release until its source offers another bundle.`}
    >
      <SelectField
        label="Release"
        value={target}
        onChange={setTarget}
        choices={others.map((each) => ({ value: each.id, label: labelOf(each) }))}
      />
      {rollback.error !== null && <Problem error={rollback.error} />}
      <ApiCall
        operation="rollbackDeployment"
        params={params}
        body={{ release: target }}
        command={`docyard deployments rollback ${name} ${target}`}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={rollback.isPending} onClick={() => rollback.mutate()}>
          Roll back
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function labelOf({ id, version, commit, installedAt }: Deployment['releases'][number]): string {
  return [version, id, commit?.slice(0, 7), exact(installedAt)]
    .filter((fact) => fact !== null && fact !== undefined)
    .join(' · ');
}

export function ConfirmRemove({ deployment: { id, name }, onClose }: DialogProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => client.call('deleteDeployment', { params: { deploymentId: id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['deployments'] });
      toast(`${name} is removed from the list`);
      onClose();
    },
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove ${name} from the list?`}
      action="Remove"
      act={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>The site keeps serving. It is listed again when it reports again.</p>
    </Confirm>
  );
}
