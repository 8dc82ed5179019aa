"""What Heat's API and engine do of a request for a stack before they make it, in process. Only for tests."""
import oracle
from oslo_config import cfg
from heat.api.openstack.v1 import stacks
from heat.engine import service
from heat.objects import stack as stack_objects
from oslo_messaging.rpc import dispatcher


class Service:
    def __init__(self):
        oracle.set_up()
        for name, value in (("max_nested_stack_depth", 10), ("max_resources_per_stack", 1000), ("auth_encryption_key", "0" * 32),
                            ("deferred_auth_method", "password"), ("convergence_engine", False)):
            cfg.CONF.set_override(name, value)
        stack_objects.Stack.get_by_name = classmethod(lambda *a, **k: None)
        stack_objects.Stack.count_all = classmethod(lambda *a, **k: 0)
        stacks.rpc_client.EngineClient = lambda *a: None
        self.api = stacks.StackController(None)
        self.engine = service.EngineService("localhost", "engine")

    def checked(self, body):
        data = stacks.InstantiationData(body)
        arguments = self.api.prepare_args(data)
        self.engine._parse_template_and_validate_stack(oracle.request_context(), data.stack_name(), data.template(), data.environment(), data.files(),
                                                       data.environment_files(), data.files_container(), arguments)

    def refuses(self, body):
        """(None, None), or the kind of the error as the API tells it, and its text."""
        try:
            self.checked(body)
            return None, None
        except Exception as error:
            if isinstance(error, dispatcher.ExpectedException):
                error = error.exc_info[1]
            kind = "HTTPBadRequest" if isinstance(error, TypeError) else type(error).__name__  # as wsgi.Resource makes it
            return kind, str(error)
