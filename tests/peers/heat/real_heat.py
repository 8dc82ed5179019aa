#!/usr/bin/python3
"""Debian's Heat, all of it, in one process on loopback: orchestration API, CFN API and engine on SQLite, with no
Keystone, no messages and no Nova. Its pauses of a second are hundredths, so that a stack takes no longer than its work.

real_heat.py DIRECTORY PORT [convergence]    prints "up" and serves until it is killed. Needs python3-heat."""
import eventlet

eventlet.monkey_patch(os=False)
import __original_module_threading  # noqa: E402
import logging  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402

__original_module_threading.current_thread.__globals__["_active"] = threading._active  # else a fork waits for ever

from eventlet import wsgi  # noqa: E402
from keystoneauth1 import access  # noqa: E402
from keystoneauth1.identity import access as access_plugin  # noqa: E402
from oslo_config import cfg  # noqa: E402
from oslo_log import log as oslo_log  # noqa: E402
from oslo_messaging.rpc import dispatcher  # noqa: E402
from oslo_serialization import jsonutils  # noqa: E402

DIRECTORY, PORT = sys.argv[1], int(sys.argv[2])
LOCAL = "http://127.0.0.1:%d" % PORT
SETTINGS = {
    "DEFAULT": {"transport_url": "fake://", "convergence_engine": sys.argv[3:] == ["convergence"], "num_engine_workers": 1,
           "deferred_auth_method": "password", "auth_encryption_key": "0123456789abcdef" * 2,
           "keystone_backend": "heat.engine.clients.os.keystone.fake_keystoneclient.FakeKeystoneClient",
           "heat_metadata_server_url": LOCAL, "heat_waitcondition_server_url": LOCAL + "/v1/waitcondition",
           "stack_user_domain_id": "domain", "stack_domain_admin": "admin", "stack_domain_admin_password": "x",
           "enable_stack_adopt": True, "enable_stack_abandon": True,
           "max_nested_stack_depth": 10, "environment_dir": DIRECTORY, "region_name_for_services": "regionOne"},
    "database": {"connection": "sqlite:///%s/heat.sqlite" % DIRECTORY},
    "noauth": {"token_response": DIRECTORY + "/token.json"},
    "oslo_policy": {"policy_dirs": [DIRECTORY]},
}
TOKEN = {"token": {"methods": ["password"], "expires_at": "2099-01-01T00:00:00.000000Z", "issued_at": "2020-01-01T00:00:00.000000Z",
                   "project": {"id": "admin", "name": "admin", "domain": {"id": "default", "name": "Default"}},
                   "user": {"id": "admin", "name": "admin", "domain": {"id": "default", "name": "Default"}},
                   "roles": [{"id": "r1", "name": "admin"}], "audit_ids": ["x"],
                   "catalog": [{"type": kind, "name": kind, "id": kind,
                                "endpoints": [{"id": kind, "interface": "public", "region": "regionOne", "region_id": "regionOne",
                                               "url": LOCAL + "/v1/admin"}]} for kind in ("orchestration", "cloudformation")]}}


def configure():
    with open(DIRECTORY + "/token.json", "w", encoding="utf-8") as file:
        jsonutils.dump(TOKEN, file)
    logging.basicConfig(filename=DIRECTORY + "/heat.log", level=logging.WARNING)
    oslo_log.register_options(cfg.CONF)
    cfg.CONF.register_opt(cfg.IntOpt("rpc_response_timeout", default=60))
    import heat.common.config as config
    import heat.common.noauth  # noqa: F401  its options
    import heat.engine.service  # noqa: F401
    with open(DIRECTORY + "/heat.conf", "w", encoding="utf-8") as file:
        for group, options in SETTINGS.items():
            file.write("[%s]\n" % group)
            file.writelines("%s = %s\n" % option for option in options.items())
    cfg.CONF(["--config-file", DIRECTORY + "/heat.conf"], project="heat", prog="heat")
    config.set_config_defaults()


class Nobody:
    """Takes messages for other processes, of which there are none."""

    def prepare(self, **_):
        return self

    def call(self, *_, **__):
        return None

    cast = call


def engine():
    from heat.common import context, exception, messaging
    from heat.engine import rsrc_defn, scheduler, service, worker
    from heat.engine.clients.os import nova
    from heat.objects import service as service_objects
    from heat.rpc import client, listener_client, worker_client
    messaging.setup()
    # So many engines that none of a concurrent chain's members is held back for want of one.
    service_objects.Service.active_service_count = classmethod(lambda *_: 10**6)

    def no_server(_, server):
        raise exception.EntityNotFound(entity="Server", name=server)

    def authenticated(_):
        return access_plugin.AccessInfoPlugin(auth_ref=access.create(body=TOKEN, auth_token="t"), auth_url=LOCAL)

    nova.NovaClientPlugin.get_server = no_server
    context.RequestContext.auth_plugin = context.RequestContext.trusts_auth_plugin = property(authenticated)
    messaging.get_rpc_client = lambda **_: Nobody()
    listener_client.EngineListenerClient.is_alive = lambda *_: True
    # To Heat a condition that comes or goes is a change, and its classic engine forgets those that were there.
    render = rsrc_defn.ResourceDefinition.render_hot
    rsrc_defn.ResourceDefinition.render_hot = lambda definition: {k: v for k, v in render(definition).items() if k != "condition"}
    scheduler.TaskRunner._sleep = lambda _, seconds: eventlet.sleep(0.1 if seconds else 0)
    # One sleeps between the leaves of a stack; scheduler's tasks sleep by the function above.
    scheduler.ENABLE_SLEEP = False
    made = service.EngineService("localhost", "engine")
    made.engine_id = "engine-1"
    made.thread_group_mgr = service.ThreadGroupManager()
    made._client = Nobody()

    def call(_, ctxt, message, version=None, timeout=None):
        method, arguments = message
        again = context.RequestContext.from_dict(ctxt.to_dict())
        try:
            return jsonutils.loads(jsonutils.dumps(getattr(made, method)(again, **arguments)))
        except dispatcher.ExpectedException as expected:
            raise expected.exc_info[1]

    client.EngineClient.__init__ = lambda _: None
    client.EngineClient.call = call
    client.EngineClient.cast = lambda *arguments, **_: eventlet.spawn_n(call, *arguments)
    workers = made.worker_service = worker.WorkerService("localhost", "engine_worker", "engine-1", made.thread_group_mgr)

    def to_worker(_, ctxt, message, version=None):
        method, arguments = message
        if method != "check_resource":
            arguments = jsonutils.loads(jsonutils.dumps(arguments))
        eventlet.spawn_n(getattr(workers, method), context.RequestContext.from_dict(ctxt.to_dict()), **arguments)

    worker_client.WorkerClient.__init__ = lambda _: None
    worker_client.WorkerClient.cast = to_worker
    worker_client.WorkerClient.cancel_check_resource = (
        lambda _, ctxt, stack_id, engine_id: eventlet.spawn_n(workers.cancel_check_resource, ctxt, stack_id))


def application():
    from heat.api.openstack import faultwrap_filter, version_negotiation_filter
    from heat.api.openstack.v1 import API
    from heat.common import context, noauth
    from oslo_middleware import request_id
    inner = version_negotiation_filter(API(cfg.CONF), cfg.CONF)
    for layer in (context.ContextMiddleware_filter_factory({}), noauth.filter_factory({})):
        inner = layer(inner)
    return beside_agents(request_id.RequestId(faultwrap_filter(inner, cfg.CONF)))


def beside_agents(people):
    """The CFN API stands on the same port: its requests are told by their path, or by their action."""
    from heat.api.cfn import v1 as cfn
    from heat.common import context, noauth
    agents = cfn.API(cfg.CONF)
    for layer in (context.ContextMiddleware_filter_factory({}), noauth.filter_factory({})):
        agents = layer(agents)

    def answer(environ, start):
        path = environ["PATH_INFO"]
        if "Action=" not in environ.get("QUERY_STRING", "") and not path.startswith(("/v1/signal/", "/v1/waitcondition/")):
            return people(environ, start)
        environ.update(PATH_INFO=path[len("/v1"):], SCRIPT_NAME="/v1")
        return agents(environ, start)

    return answer


def main():
    configure()
    from heat.db.sqlalchemy import api
    api.db_sync(api.get_engine())
    # SQLite gives the number of what is gone to the next one, and its data would come with it: Heat leaves those to the
    # database, whose cascades SQLite has only where they are asked for.
    api.get_engine().execute("CREATE TRIGGER data_goes_too AFTER DELETE ON resource BEGIN "
                             "DELETE FROM resource_data WHERE resource_id = old.id; END")
    engine()
    listener = eventlet.listen(("127.0.0.1", PORT))
    print("up", flush=True)
    wsgi.server(listener, application(), log=logging.getLogger("wsgi"), debug=False)


if __name__ == "__main__":
    main()
