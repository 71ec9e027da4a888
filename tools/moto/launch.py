"""Start moto as our tests need it. It prints the port it listens on and ends when its standard input ends, so it never
outlives the test process that holds the other side of the pipe.

    launch.py EDGE_PORT

moto's own state machines call services at localhost:EDGE_PORT. The test process listens there, answers Lambda invocations
itself and passes everything else on to moto.
"""
import copy
import os
import sys
import threading

os.environ["MOTO_PORT"] = sys.argv[1]

from moto.core.config import default_user_config
from moto.core.responses import EmptyResult
from moto.dynamodb.exceptions import ItemSizeTooLarge
from moto.dynamodb.models.dynamo_type import LimitedSizeDict
from moto.dynamodb.models.utilities import bytesize
from moto.dynamodb.responses import DynamoHandler
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.stepfunctions.models import StateMachine
from moto.stepfunctions.responses import StepFunctionResponse
from werkzeug.serving import WSGIRequestHandler, make_server


def copy_without_executions(self, memo):
    """StartExecution copies the machine deeply, and executions hold locks that cannot be copied."""
    twin = copy.copy(self)
    twin.executions = []
    return twin


def send_task_failure(self):
    """The same as moto's, but the cause is passed on."""
    self.stepfunction_backend.send_task_failure(
        self._get_param("taskToken"), error=self._get_param("error"), cause=self._get_param("cause")
    )
    return EmptyResult()


def set_within_limit(self, key, value):
    """DynamoDB takes 400 KB (409,600 bytes) with names; moto stops at 405,000 and counts a replaced value twice."""
    size = sum(bytesize(k) + v.size() for k, v in self.items() if k != key) + bytesize(key) + value.size()
    if size > 400 * 1024:
        raise ItemSizeTooLarge
    dict.__setitem__(self, key, value)


dynamodb_lock = threading.RLock()
dispatch = DynamoHandler._dispatch


def one_at_a_time(self, *args, **kwargs):
    """A transaction that fails puts back a copy of the table, and with it undoes what others wrote meanwhile."""
    with dynamodb_lock:
        return dispatch(self, *args, **kwargs)


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


StateMachine.__deepcopy__ = copy_without_executions
StepFunctionResponse.send_task_failure = send_task_failure
LimitedSizeDict.__setitem__ = set_within_limit
DynamoHandler._dispatch = one_at_a_time
WSGIRequestHandler.log_request = lambda self, *args: None
default_user_config["stepfunctions"]["execute_state_machine"] = True
default_user_config["lambda"]["use_docker"] = False

server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
threading.Thread(target=end_with_input, daemon=True).start()
print("port", server.server_address[1], flush=True)
server.serve_forever()
