import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { CopyField } from '../../parts/copy.tsx';
import { Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Table } from '../../parts/table.tsx';

const maxShown = 5;

export function ProjectIds() {
  const projects = useQuery({
    queryKey: ['projects', 'ids'],
    queryFn: () => client.call('listProjects', { query: { limit: maxShown } }),
  });
  return (
    <Panel title="Project ids" flush aside={<Link to="/projects">All projects</Link>}>
      {projects.isPending && <Waiting lines={2} />}
      {projects.isError && <Problem error={projects.error} retry={() => void projects.refetch()} />}
      {projects.data?.data.length === 0 && (
        <p className="panel-foot">
          There is no project yet. <Link to="/projects?new=1">Create a project</Link> to see its id here.
        </p>
      )}
      {projects.data !== undefined && projects.data.data.length > 0 && (
        <Table
          label="Project ids"
          rows={projects.data.data}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Project',
              cell: ({ id, name }) => <Link to={`/projects/${id}`}>{name}</Link>,
            },
            { name: 'Domain', cell: ({ domain }) => domain },
            { name: 'Id', cell: ({ id, name }) => <CopyField text={id} label={`id of ${name}`} /> },
          ]}
        />
      )}
    </Panel>
  );
}
