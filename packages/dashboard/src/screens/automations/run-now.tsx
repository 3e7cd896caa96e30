import type { Project } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';

export function RunNow({ project, name }: { project: Project; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon="play" aria-label={`Run ${name} now`} onClick={() => setOpen(true)}>
        Run now
      </Button>
      {open && <RunDialog project={project} name={name} close={() => setOpen(false)} />}
    </>
  );
}

function RunDialog({ project, name, close }: { project: Project; name: string; close: () => void }) {
  const [note, setNote] = useState('');
  const queries = useQueryClient();
  const toast = useToast();
  const params = { projectId: project.id, name };
  const body = note.trim() === '' ? {} : { note };
  const run = useMutation({
    mutationFn: () => client.call('runAutomation', { params, body }),
    onSuccess: () => {
      toast(`${name} starts within seconds.`);
      close();
      void queries.invalidateQueries({ queryKey: ['automations', project.id] });
    },
  });
  return (
    <Dialog
      open
      onClose={close}
      title={`Run ${name} now`}
      lead="It starts an agent job, or sends a message to the job whose proposal is open."
    >
      <Form error={run.error} onSubmit={() => run.mutate()}>
        <TextField
          label="Note"
          hint="Optional. It is added to the instruction."
          rows={4}
          value={note}
          onChange={setNote}
        />
        <ApiCall
          operation="runAutomation"
          params={params}
          body={body}
          command={`docyard automations run ${name}`}
        />
        <DialogActions>
          <Button onClick={close}>Close</Button>
          <Button type="submit" look="primary" icon="play" busy={run.isPending}>
            Run
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
