import { createFileRoute } from '@tanstack/react-router'
import { InstancePage } from '@/instances/instance-page'

export const Route = createFileRoute('/instances/$id')({
  component: function Instance() {
    const { id } = Route.useParams()
    return <InstancePage key={id} id={id} />
  },
})
