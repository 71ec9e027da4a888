import { createFileRoute } from '@tanstack/react-router'
import { InstancePage } from '@/instances/instance-page'

export const Route = createFileRoute('/instances/$id')({
  component: function Instance() {
    return <InstancePage id={Route.useParams().id} />
  },
})
