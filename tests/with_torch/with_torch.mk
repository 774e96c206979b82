# The programs of the notes that need PyTorch, in an environment of their own, outside the hashed locks

.PHONY: test-torch

test-torch: .venv-torch/ready
	.venv-torch/bin/pytest --confcutdir=tests/with_torch tests/with_torch

# Horovod only for its command line: built without the frameworks that it would drive
.venv-torch/ready: export HOROVOD_WITHOUT_PYTORCH := 1
.venv-torch/ready: export HOROVOD_WITHOUT_TENSORFLOW := 1
.venv-torch/ready: export HOROVOD_WITHOUT_MXNET := 1
.venv-torch/ready: export HOROVOD_WITHOUT_MPI := 1
.venv-torch/ready: export HOROVOD_WITHOUT_GLOO := 1
.venv-torch/ready: tests/with_torch/requirements.txt
	@echo "Installing PyTorch and the tools of the notes ..."
	@$(PYTHON) -m venv .venv-torch
	@.venv-torch/bin/pip install --quiet --disable-pip-version-check cmake
	@PATH="$(CURDIR)/.venv-torch/bin:$$PATH" .venv-torch/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@
